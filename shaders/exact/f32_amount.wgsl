// The amount that an f32 adds to the bin that its sign and the upper five bits of its exponent choose: at most 31 bits.
fn amount_of(bits: u32) -> u32 {
    // 24 bits with the leading one. Subnormals lack it, and stand one place higher than their exponent of 0 says.
    let leading = (bits & 0x7fffffu) | 0x800000u;
    let significand = select(leading, bits << 1u, (bits & 0x7f800000u) == 0u);
    return significand << ((bits >> 23u) & 7u);
}
