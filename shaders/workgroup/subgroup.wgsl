// Block reduction by subgroup shuffles: a butterfly within each subgroup, one value of each through workgroup memory, and
// the same butterfly again. There may be more subgroups than lanes, so the second level loops; lanes need not follow local
// indices, so commutative operators only.
//
// Expects: Acc, identity, combine (the operator); butterfly (workgroup/butterfly.wgsl, butterfly_loop.wgsl); full subgroups, at
// least 4 lanes each.
// Returns the accumulator of the whole workgroup to every invocation.

var<workgroup> shared_acc: array<Acc, SUBGROUPS_MAX>;

fn workgroup_reduce(mine: Acc, id: Invocation) -> Acc {
    let reduced = butterfly(mine, id.lanes);
    if id.subgroups == 1u { return reduced; }
    if id.lane == 0u { shared_acc[id.subgroup] = reduced; }
    workgroupBarrier();
    var acc = identity();
    if SUBGROUPS_MAX <= LANES_MIN {
        if id.lane < id.subgroups { acc = shared_acc[id.lane]; }
    } else {
        for (var s = id.lane; s < id.subgroups; s += id.lanes) { acc = combine(acc, shared_acc[s]); }
    }
    return butterfly(acc, id.lanes);
}
