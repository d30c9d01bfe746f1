// A bound on what is wanted: the best elements of groups of invocations. If k are wanted, the k-th of these is no better than the
// k-th of all, and hardly worse where there are some times k groups.
//
// Expects: WORKGROUP_SIZE, TEAM, LOADS, GROUPS; all of top/each.wgsl.
var<workgroup> bests: array<Entry, WORKGROUP_SIZE>;
var<workgroup> bounds: array<Entry, TEAMS>;

// Looks at the first elements, as many as are loaded at a time.
fn look(length: u32) {
    mine = entry(WORST, NOWHERE);
    bound = mine;
    if length == 0u { return; }
    let i_K = min(lane + K * TEAM, length - 1u);  // for K in 0..LOADS
    let rank_K = rank_of(i_K);  // for K in 0..LOADS
    // The last element is met by others too, and is one invocation's.
    if (i_K % TEAM == lane) & before(entry(rank_K, i_K), mine) { mine = entry(rank_K, i_K); }  // for K in 0..LOADS
}

fn find_bound(wanted: u32) {
    let first = team * TEAM;
    let in_group = lane < GROUPS;
    var best = mine;
    workgroupBarrier();
    bests[first + lane] = best;
    workgroupBarrier();
    for (var j = lane + GROUPS; in_group & (j < TEAM); j += GROUPS) {
        let other = bests[first + j];
        if before(other, best) { best = other; }
    }
    workgroupBarrier();
    if in_group { bests[first + lane] = best; }
    workgroupBarrier();
    if in_group {
        var better = 0u;
        for (var j = first; j < first + GROUPS; j += 4u) {
            let other_K = bests[j + K];  // for K in 0..FOUR
            better += select(0u, 1u, before(other_K, best));  // for K in 0..FOUR
        }
        if better + 1u == wanted { bounds[team] = best; }
    }
    workgroupBarrier();
    bound = bounds[team];
}
