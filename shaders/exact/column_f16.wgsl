// Bins of f16: what has exponent e belongs e - 1 bits above the first limb, what has exponent 0 with what has 1. Those of
// infinities and NaN belong nowhere.
fn column(j: u32) -> vec3<u32> {
    var sum = vec3<u32>();
    if j == 0u { return sum; }
    for (var e = 30u; e > 0u; e--) {
        sum = vec3<u32>(sum.x << 1u, (sum.y << 1u) | (sum.x >> 31u), (sum.z << 1u) | (sum.y >> 31u));
        sum = add96(sum, widened(bin_sum(e)));
    }
    return add96(sum, widened(bin_sum(0u)));
}
