// The word of one f16 that is read as an f32, among others above it, by the device's own conversion, which has been tried
// (element/f16_tried.wgsl).
fn wide_bits(bits: u32) -> u32 { return bitcast<u32>(unpack2x16float(bits).x); }
