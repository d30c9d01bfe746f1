// The best of some candidates, as many as are wanted, in the order in which they stand: those that are better than the last of
// them, and the first of those that are as good.
//
// Expects: WORKGROUP_SIZE; Bits, lower, same (top/ranks.wgsl); sum_before; edge, find_edge (top/edge.wgsl); candidate, the rank of
// one; is_there, take.

// wanted: no more than candidates that are there
fn take_best(candidates: u32, wanted: u32, local: u32) {
    let left = find_edge(candidates, wanted, local);
    let each = (candidates + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
    let low = min(local * each, candidates);
    let high = min(low + each, candidates);
    var better = 0u;
    var equal = 0u;
    for (var c = low; c < high; c++) {
        let own = candidate(c);
        better += select(0u, 1u, lower(own, edge));
        equal += select(0u, 1u, same(own, edge) & is_there(c));
    }
    var better_before = sum_before(better, local);
    var equal_before = sum_before(equal, local);
    for (var c = low; c < high; c++) {
        let own = candidate(c);
        let is_better = lower(own, edge);
        let is_equal = same(own, edge) & is_there(c);
        if is_better | (is_equal & (equal_before < left)) { take(c, better_before + min(equal_before, left)); }
        better_before += select(0u, 1u, is_better);
        equal_before += select(0u, 1u, is_equal);
    }
}
