// Block reduction without subgroups: neighbours first, then neighbours of neighbours.
// The distance doubles each step and the active invocations stay packed at the front, so that order is kept
// and any workgroup size serves.
//
// Expects: Acc, join_shared (the operator). Returns the accumulator of the whole workgroup to every invocation.

var<workgroup> shared_acc: array<Acc, WORKGROUP_SIZE>;

fn workgroup_reduce(mine: Acc, id: Invocation) -> Acc {
    shared_acc[id.local] = mine;
    for (var distance = 1u; distance < WORKGROUP_SIZE; distance *= 2u) {
        workgroupBarrier();
        let at = id.local * distance * 2u;
        if at + distance < WORKGROUP_SIZE { join_shared(at, at + distance); }
    }
    workgroupBarrier();
    return shared_acc[0];
}
