// f64, as two words, into a bin for each limb: 53 bits reach into three of them at most.
//
// Expects: term, what is summed of the bits of an element.
fn accumulate(state: State, given: Bits, index: u32) -> State {
    let bits = term(given);
    let size = bits.y & 0x7fffffffu;
    // 53 bits with the leading one, which subnormals lack; their exponent counts as 1.
    let significand = vec2<u32>(bits.x, (bits.y & 0xfffffu) | min(size & 0x7ff00000u, 0x100000u));
    let negative = bits.y >> 31u == 1u;
    scatter(significand, max(size >> 20u, 1u), negative, state.replica);
    let special = size >= 0x7ff00000u;
    let nan = special & (((size & 0xfffffu) | bits.x) != 0u);
    let infinite = special & !nan;
    let flags = select(0u, FLAG_NAN, nan) | select(0u, select(FLAG_PLUS, FLAG_MINUS, negative), infinite)
        | select(0u, FLAG_OTHER, ((size | bits.x) != 0u) | !negative);
    return State(state.replica, state.flags | flags);
}
