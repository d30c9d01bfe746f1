// The square of an f64: 106 bits, exact, as those of its two words and of twice their product, into a bin for each limb.
//
// Expects: scatter (exact/scatter.wgsl).

// Adds a square; returns its flags.
fn put(bits: vec2<u32>, replica: u32) -> u32 {
    let size = bits.y & 0x7fffffffu;
    // 53 bits with the leading one, which subnormals lack; their exponent counts as 1.
    let high = (bits.y & 0xfffffu) | min(size & 0x7ff00000u, 0x100000u);
    let at = 2u * max(size >> 20u, 1u);
    scatter(multiply32(bits.x, bits.x), at, false, replica);
    scatter(multiply32(bits.x, high), at + 33u, false, replica);
    scatter(multiply32(high, high), at + 64u, false, replica);
    let special = size >= 0x7ff00000u;
    let nan = special & (((size & 0xfffffu) | bits.x) != 0u);
    return select(0u, FLAG_NAN, nan) | select(0u, FLAG_PLUS, special & !nan) | FLAG_OTHER;
}
