// A workgroup folds what its invocations hold, by subgroup shuffles: a butterfly within each subgroup, one value
// of each through workgroup memory, and the same butterfly again. There may be more subgroups than lanes, so the
// second level loops; lanes need not follow local indices, so commutative operators only.
//
// Expects: Acc, identity, combine, shuffle (the operator); full subgroups, at least 4 lanes each.
// Returns the fold of the whole workgroup to every invocation.

var<workgroup> held: array<Acc, SUBGROUPS_MAX>;

fn butterfly(mine: Acc, lanes: u32) -> Acc {
    var acc = mine;
    if ((1u << 0u) < LANES_MIN) | ((1u << 0u) < lanes) { acc = combine(acc, shuffle(acc, 1u << 0u)); }  // lanes
    return acc;
}

fn workgroup_reduce(mine: Acc, who: Invocation) -> Acc {
    let folded = butterfly(mine, who.lanes);
    if who.subgroups == 1u { return folded; }
    if who.lane == 0u { held[who.subgroup] = folded; }
    workgroupBarrier();
    var acc = identity();
    if SUBGROUPS_MAX <= LANES_MIN {
        if who.lane < who.subgroups { acc = held[who.lane]; }
    } else {
        for (var s = who.lane; s < who.subgroups; s += who.lanes) { acc = combine(acc, held[s]); }
    }
    return butterfly(acc, who.lanes);
}
