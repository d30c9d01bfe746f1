// The rank of the last of the best candidates, if so many are wanted, found digit by digit from the highest on.
//
// Expects: WORKGROUP_SIZE, BITS, REPLICAS; Bits, digit, with_digit, agree (top/ranks.wgsl); find_digit (top/scanned.wgsl or
// top/counted.wgsl); candidate, the rank of one.
var<workgroup> counts: array<atomic<u32>, REPLICAS << BITS>;
var<private> edge: Bits;

// Leaves how many with that rank are wanted. wanted: no more than there are candidates
fn find_edge(candidates: u32, wanted: u32, local: u32) -> u32 {
    edge = Bits();
    var left = wanted;
    for (var above = DIGITS; above > 0u; above--) {
        let d = above - 1u;
        for (var c = local; c < REPLICAS << BITS; c += WORKGROUP_SIZE) { atomicStore(&counts[c], 0u); }
        workgroupBarrier();
        for (var c = local; c < candidates; c += WORKGROUP_SIZE) {
            let own = candidate(c);
            if agree(own, edge, d) { atomicAdd(&counts[((local % REPLICAS) << BITS) + digit(own, d)], 1u); }
        }
        workgroupBarrier();
        let found = find_digit(left, local);
        edge = with_digit(edge, d, found.x);
        left -= found.y;
    }
    return left;
}
