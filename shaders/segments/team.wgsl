// What the shares of a workgroup's subgroups leave open, carried from one to the next: the workgroup leaves one carry.
//
// Expects: Carry, NONE (segments/left.wgsl); carries (segments/share.wgsl); combine, store (the operator).

var<workgroup> left_by: array<Carry, SUBGROUPS_MAX>;

fn leave_workgroup(id: Invocation) {
    workgroupBarrier();
    if id.local > 0u { return; }
    // Counted from the number of the one invocation that is left, which is 0: what lies at places that all lanes are known
    // to share, compilers keep in scalar registers, of which AMD GPUs have fewer than two exact sums have words.
    var all = left_by[id.local];
    for (var t = id.local + 1u; t < id.subgroups; t++) {
        if left_by[t].segment != NONE {
            let whole = combine(all.tail, left_by[t].head);
            // The segment that began before this workgroup ends with the workgroup's first end.
            if all.ended != 0u {
                store(whole, left_by[t].segment);
            } else {
                all.head = whole;
                all.segment = left_by[t].segment;
            }
        }
        if left_by[t].ended == 0u { all.tail = combine(all.tail, left_by[t].tail); } else { all.tail = left_by[t].tail; }
        all.ended |= left_by[t].ended;
    }
    carries[params.partial + id.workgroup.x] = all;
}
