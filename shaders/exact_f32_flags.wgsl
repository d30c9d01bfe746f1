// What the largest patterns of an invocation say of its elements: NaN, infinities, and whether all of them are -0.
fn flags_of(mine: Local) -> u32 {
    var flags = select(0u, FLAG_OTHER, mine.top != -2147483647i - 1i);
    if mine.top >= 0x7f800000i | mine.low >= 0xff800000u {
        let nan = mine.top > 0x7f800000i | mine.low > 0xff800000u;
        flags |= select(0u, FLAG_NAN, nan) | select(0u, FLAG_PLUS, mine.top == 0x7f800000i)
            | select(0u, FLAG_MINUS, mine.low == 0xff800000u);
    }
    return flags;
}
