// The word of one i8, whose bits are of a byte, with its sign, among others above them.
fn wide_bits(bits: u32) -> u32 { return bitcast<u32>(bitcast<i32>(bits << 24u) >> 24u); }
