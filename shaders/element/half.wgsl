// The f32 of one f16, by its bits: a device may lack the conversion, or lose subnormals by it. Those of f16 are what lies above
// 2^-14 with their bits behind it, less 2^-14. NaN are quiet ones, as conversions make them.
fn half_bits(bits: u32) -> u32 {
    let size = bits & 0x7fffu;
    let wide = (size << 13u) + select(0x38000000u, 0x70000000u, size >= 0x7c00u);
    let small = bitcast<u32>(bitcast<f32>(wide + 0x00800000u) - 6.103515625e-05);
    let sign_quiet = ((bits & 0x8000u) << 16u) | select(0u, 0x00400000u, size > 0x7c00u);
    return sign_quiet | select(wide, small, size < 0x0400u);
}
