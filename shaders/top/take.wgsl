// The best of some candidates, as many as are wanted, in the order in which they stand: the rank of the last of them is found digit
// by digit from the highest on; taken are those that are better, and the first of those that are as good.
//
// Expects: WORKGROUP_SIZE, BITS, REPLICAS; Bits, lower, same, digit, with_digit, agree (top/ranks.wgsl); sum_before; of a candidate
// rank_of, is_there, take.
var<workgroup> counts: array<atomic<u32>, REPLICAS << BITS>;
var<workgroup> found: vec2<u32>;  // a digit, and how many have a lower one

// wanted: no more than candidates that are there
fn take_best(candidates: u32, wanted: u32, local: u32) {
    var edge = Bits();
    var left = wanted;
    for (var above = DIGITS; above > 0u; above--) {
        let d = above - 1u;
        for (var c = local; c < REPLICAS << BITS; c += WORKGROUP_SIZE) { atomicStore(&counts[c], 0u); }
        workgroupBarrier();
        for (var c = local; c < candidates; c += WORKGROUP_SIZE) {
            let own = rank_of(c);
            if agree(own, edge, d) { atomicAdd(&counts[((local % REPLICAS) << BITS) + digit(own, d)], 1u); }
        }
        workgroupBarrier();
        var mine = 0u;
        if local < (1u << BITS) {
            for (var r = 0u; r < REPLICAS; r++) { mine += atomicLoad(&counts[(r << BITS) + local]); }
        }
        let before = sum_before(mine, local);
        if (before < left) & (left <= before + mine) { found = vec2<u32>(local, before); }
        workgroupBarrier();
        edge = with_digit(edge, d, found.x);
        left -= found.y;
    }
    let each = (candidates + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
    let low = min(local * each, candidates);
    let high = min(low + each, candidates);
    var better = 0u;
    var equal = 0u;
    for (var c = low; c < high; c++) {
        let own = rank_of(c);
        better += select(0u, 1u, lower(own, edge));
        equal += select(0u, 1u, same(own, edge) & is_there(c));
    }
    var better_before = sum_before(better, local);
    var equal_before = sum_before(equal, local);
    for (var c = low; c < high; c++) {
        let own = rank_of(c);
        let is_better = lower(own, edge);
        let is_equal = same(own, edge) & is_there(c);
        if is_better | (is_equal & (equal_before < left)) { take(c, better_before + min(equal_before, left)); }
        better_before += select(0u, 1u, is_better);
        equal_before += select(0u, 1u, is_equal);
    }
}
