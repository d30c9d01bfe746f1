// A workgroup folds what its invocations hold, by subgroup shuffles: a butterfly within each subgroup, one value
// of each through workgroup memory, and the same butterfly again. There may be more subgroups than lanes, so the
// second level loops; lanes need not follow local indices, so commutative operators only.
//
// Expects: Acc, identity, combine, shuffle (the operator); full subgroups, at least 4 lanes each.
// Returns the fold of the whole workgroup to every invocation.

struct Invocation {
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(subgroup_size) lanes: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(num_subgroups) subgroups: u32,
    @builtin(subgroup_id) subgroup: u32,
}

var<workgroup> held: array<Acc, SUBGROUPS_MAX>;

fn butterfly(mine: Acc, lanes: u32) -> Acc {
    var acc = mine;
    for (var mask = lanes / 2u; mask > 0u; mask /= 2u) { acc = combine(acc, shuffle(acc, mask)); }
    return acc;
}

fn workgroup_reduce(mine: Acc, who: Invocation) -> Acc {
    let folded = butterfly(mine, who.lanes);
    if who.subgroups == 1u { return folded; }
    if who.lane == 0u { held[who.subgroup] = folded; }
    workgroupBarrier();
    var acc = identity();
    for (var s = who.lane; s < who.subgroups; s += who.lanes) { acc = combine(acc, held[s]); }
    return butterfly(acc, who.lanes);
}
