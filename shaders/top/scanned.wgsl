// The digit of an edge among many values of one: a scan of the counters.
//
// Expects: BITS, REPLICAS; counts (top/edge.wgsl); sum_before.
var<workgroup> found: vec2<u32>;

// A digit, and how many have a lower one.
fn find_digit(left: u32, local: u32) -> vec2<u32> {
    var mine = 0u;
    if local < (1u << BITS) {
        for (var r = 0u; r < REPLICAS; r++) { mine += atomicLoad(&counts[(r << BITS) + local]); }
    }
    let lower = sum_before(mine, local);
    if (lower < left) & (left <= lower + mine) { found = vec2<u32>(local, lower); }
    workgroupBarrier();
    return found;
}
