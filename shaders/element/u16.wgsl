// The word of one u16, whose bits are of half a word, among others above them.
fn wide_bits(bits: u32) -> u32 { return bits & 0xffffu; }
