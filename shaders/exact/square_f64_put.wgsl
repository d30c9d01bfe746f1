// The square of an f64: 106 bits, exact, into a bin for each limb.
//
// Expects: square64 (exact/square64.wgsl), scatter128 (exact/scatter128.wgsl).

// Adds a square; returns its flags.
fn put(bits: vec2<u32>, replica: u32) -> u32 {
    let size = bits.y & 0x7fffffffu;
    // 53 bits with the leading one, which subnormals lack; their exponent counts as 1.
    let high = (bits.y & 0xfffffu) | min(size & 0x7ff00000u, 0x100000u);
    scatter128(square64(vec2<u32>(bits.x, high)), 2u * max(size >> 20u, 1u), false, replica);
    let special = size >= 0x7ff00000u;
    let nan = special & (((size & 0xfffffu) | bits.x) != 0u);
    return select(0u, FLAG_NAN, nan) | select(0u, FLAG_PLUS, special & !nan) | FLAG_OTHER;
}
