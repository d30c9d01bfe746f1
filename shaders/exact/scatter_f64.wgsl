// A number of 53 bits, not subnormal, into the bins of limbs whose unit is 2^-2150.
//
// Expects: words_of (exact/float64_levels.wgsl), scatter (exact/scatter.wgsl).

fn put_number(x: f64, replica: u32) {
    let bits = words_of(x);
    if (bits.y & 0x7fffffffu) != 0u {
        let amount = vec2<u32>(bits.x, (bits.y & 0xfffffu) | 0x100000u);
        scatter(amount, ((bits.y >> 20u) & 2047u) + 1075u, (bits.y >> 31u) != 0u, replica);
    }
}
