// The word of one bf16, whose bits are an f32's upper half, among others above them.
fn wide_bits(bits: u32) -> u32 { return bits << 16u; }
