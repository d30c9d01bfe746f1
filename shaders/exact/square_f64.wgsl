// The square of an f64: 106 bits, exact, as those of its two words and of twice their product, into a bin for each limb.
//
// Expects: scatter (exact/scatter.wgsl), State with replica and flags.

fn accumulate(state: State, bits: Bits, index: u32) -> State {
    let size = bits.y & 0x7fffffffu;
    // 53 bits with the leading one, which subnormals lack; their exponent counts as 1.
    let high = (bits.y & 0xfffffu) | min(size & 0x7ff00000u, 0x100000u);
    let at = 2u * max(size >> 20u, 1u);
    scatter(multiply32(bits.x, bits.x), at, false, state.replica);
    scatter(multiply32(bits.x, high), at + 33u, false, state.replica);
    scatter(multiply32(high, high), at + 64u, false, state.replica);
    let special = size >= 0x7ff00000u;
    let nan = special & (((size & 0xfffffu) | bits.x) != 0u);
    let flags = select(0u, FLAG_NAN, nan) | select(0u, FLAG_PLUS, special & !nan);
    return State(state.replica, state.flags | flags | FLAG_OTHER);
}
