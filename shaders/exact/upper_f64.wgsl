// The upper 26 bits of an f64, rounded: those of two multiply without rounding, as what is left of each does (Dekker, 1971).
//
// Expects: float64_of (exact/float64_levels.wgsl).
fn upper_of(bits: vec2<u32>) -> f64 {
    let low = bits.x + 0x4000000u;
    return float64_of(vec2<u32>(low & 0xf8000000u, bits.y + select(0u, 1u, low < bits.x)));
}
