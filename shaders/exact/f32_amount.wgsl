// The significand of an f32, and the amount that it adds to the bin that its sign and the upper five bits of its exponent choose.

// 24 bits with the leading one. Subnormals lack it, and stand one place higher than their exponent of 0 says.
fn significand_of(bits: u32) -> u32 {
    let leading = (bits & 0x7fffffu) | 0x800000u;
    return select(leading, bits << 1u, (bits & 0x7f800000u) == 0u);
}

// At most 31 bits.
fn amount_of(bits: u32) -> u32 { return significand_of(bits) << ((bits >> 23u) & 7u); }
