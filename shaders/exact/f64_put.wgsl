// An f64, as two words, into shared bins: the sign and the upper six bits of the exponent choose the place, the lower five shift
// the significand within it. No branch but where a counter carries.
//
// Expects: add_three (exact/linked.wgsl).

// Adds an element; returns 0 if it is -0.
fn put(bits: vec2<u32>, replica: u32) -> u32 {
    // Subnormals lack the leading one, and their exponent counts as 1.
    let tiny = (bits.y & 0x7ff00000u) == 0u;
    let high = (bits.y & 0xfffffu) | select(0x100000u, 0u, tiny);
    let left = select((bits.y >> 20u) & 31u, 1u, tiny);
    let middle = (high << left) | ((bits.x >> 1u) >> (31u - left));
    add_three(bits.y >> 25u, replica, bits.x << left, middle, (high >> 1u) >> (31u - left));
    return bits.x | (bits.y ^ 0x80000000u);
}
