// The word of one i16, whose bits are of half a word, with its sign, among others above them.
fn wide_bits(bits: u32) -> u32 { return bitcast<u32>(bitcast<i32>(bits << 16u) >> 16u); }
