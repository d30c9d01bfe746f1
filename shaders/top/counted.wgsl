// The digit of an edge among few values of one: each invocation reads all counters.
//
// Expects: BITS; counts (top/edge.wgsl), one of each digit.

// A digit, and how many have a lower one.
fn find_digit(left: u32, local: u32) -> vec2<u32> {
    var found = vec2<u32>(0u, 0u);
    var lower = 0u;
    for (var value = 0u; value < (1u << BITS); value++) {
        let own = atomicLoad(&counts[value]);
        if (lower < left) & (left <= lower + own) { found = vec2<u32>(value, lower); }
        lower += own;
    }
    workgroupBarrier();
    return found;
}
