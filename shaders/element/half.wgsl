// The number of one f16, by its bits: a device may lack the conversion, or lose subnormals by it.
fn half_value(bits: u32) -> f32 {
    let size = bits & 0x7fffu;
    let wide = (size << 13u) + select(0x38000000u, 0x70000000u, size >= 0x7c00u);
    let small = bitcast<u32>(f32(size) * 5.9604644775390625e-8);
    return bitcast<f32>(((bits & 0x8000u) << 16u) | select(wide, small, size < 0x0400u));
}
