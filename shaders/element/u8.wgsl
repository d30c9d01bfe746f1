// The word of one u8, whose bits are of a byte, among others above them.
fn wide_bits(bits: u32) -> u32 { return bits & 0xffu; }
