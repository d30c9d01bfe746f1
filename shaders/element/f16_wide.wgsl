// The word of one f16 that is read as an f32, among others above it.
//
// Expects: half_bits (element/half.wgsl).
fn wide_bits(bits: u32) -> u32 { return half_bits(bits); }
