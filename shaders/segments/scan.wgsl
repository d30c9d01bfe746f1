// The accumulator that is open behind each invocation of a workgroup, of what they leave open one after another: a segmented
// scan in workgroup memory.
//
// Expects: Acc, put_shared, join_behind (the operator). Leaves it in shared_acc and shared_ended, where each invocation may read
// its neighbour's.

var<workgroup> shared_acc: array<Acc, WORKGROUP_SIZE>;
var<workgroup> shared_ended: array<u32, WORKGROUP_SIZE>;  // whether a segment has ended so far

fn scan_open(mine: Acc, mine_ended: bool, id: Invocation) {
    var open = mine;
    var ended = select(0u, 1u, mine_ended);
    put_shared(id.local, &open);
    shared_ended[id.local] = ended;
    for (var distance = 1u; distance < WORKGROUP_SIZE; distance *= 2u) {
        workgroupBarrier();
        let joins = (id.local >= distance) & (ended == 0u);
        if joins {
            join_behind(id.local - distance, &open);
            ended = shared_ended[id.local - distance];
        }
        workgroupBarrier();
        if joins {
            put_shared(id.local, &open);
            shared_ended[id.local] = ended;
        }
    }
    workgroupBarrier();
}
