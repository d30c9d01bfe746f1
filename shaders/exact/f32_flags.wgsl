// The flags of an invocation's elements, by their largest patterns (as i32, as u32): NaN, infinities, whether all of them are -0.
fn pattern_flags(most: i32, low: u32) -> u32 {
    var flags = select(0u, FLAG_OTHER, most != -2147483647i - 1i);
    if (most >= 0x7f800000i) | (low >= 0xff800000u) {
        let nan = (most > 0x7f800000i) | (low > 0xff800000u);
        flags |= select(0u, FLAG_NAN, nan) | select(0u, FLAG_PLUS, most == 0x7f800000i)
            | select(0u, FLAG_MINUS, low == 0xff800000u);
    }
    return flags;
}
