// A workgroup folds what its invocations hold, without subgroups: neighbours first, then neighbours of neighbours.
// The distance doubles each step and the active invocations stay packed at the front, so that order is kept
// and any workgroup size serves.
//
// Expects: Acc, combine (the operator). Returns the fold of the whole workgroup to every invocation.

var<workgroup> held: array<Acc, WORKGROUP_SIZE>;

fn workgroup_reduce(mine: Acc, who: Invocation) -> Acc {
    held[who.local] = mine;
    for (var distance = 1u; distance < WORKGROUP_SIZE; distance *= 2u) {
        workgroupBarrier();
        let at = who.local * distance * 2u;
        if at + distance < WORKGROUP_SIZE { held[at] = combine(held[at], held[at + distance]); }
    }
    workgroupBarrier();
    return held[0];
}
