// f64, as two words, into a bin for each limb: 53 bits reach into three of them at most.
//
// Expects: term, what is summed of the bits of an element; double_flags (exact/f64_flags.wgsl).
fn accumulate(state: State, given: Bits, index: u32) -> State {
    let bits = term(given);
    let size = bits.y & 0x7fffffffu;
    // 53 bits with the leading one, which subnormals lack; their exponent counts as 1.
    let significand = vec2<u32>(bits.x, (bits.y & 0xfffffu) | min(size & 0x7ff00000u, 0x100000u));
    scatter(significand, max(size >> 20u, 1u), bits.y >> 31u == 1u, state.replica);
    return State(state.replica, state.flags | double_flags(bits));
}
