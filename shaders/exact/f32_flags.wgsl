// The flags of an invocation's elements, by their largest patterns: NaN, infinities, and whether all of them are -0.
fn flags_of(state: State) -> u32 {
    var flags = select(0u, FLAG_OTHER, state.most != -2147483647i - 1i);
    if (state.most >= 0x7f800000i) | (state.low >= 0xff800000u) {
        let nan = (state.most > 0x7f800000i) | (state.low > 0xff800000u);
        flags |= select(0u, FLAG_NAN, nan) | select(0u, FLAG_PLUS, state.most == 0x7f800000i)
            | select(0u, FLAG_MINUS, state.low == 0xff800000u);
    }
    return flags;
}
