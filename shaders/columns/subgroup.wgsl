// Lanes of a group are neighbouring lanes of a subgroup, which meet by shuffles. Commutative operators only.
//
// Expects: Acc, combine, shuffle (the operator); full subgroups of at least as many lanes as a group has.

fn group_of(id: Invocation, groups: u32, lanes: u32) -> u32 { return id.subgroup * (id.lanes / lanes) + id.lane / lanes; }
fn lane_of(id: Invocation, groups: u32, lanes: u32) -> u32 { return id.lane % lanes; }

// Gives all lanes of a group what they hold together.
fn combine_lanes(mine: Acc, id: Invocation, groups: u32, lane: u32) -> Acc {
    var acc = mine;
    if (1u << K) < params.stride { acc = combine(acc, shuffle(acc, 1u << K)); }  // for K in 0..BUTTERFLY
    return acc;
}
