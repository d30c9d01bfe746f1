// The f64 (low word, high word) of 53 digits whose last one is at place `at`, rounded to nearest even by the digit behind and what
// follows. Place EXPONENT_MIN is the last of f64.
fn pack_f64(digits: vec2<u32>, at: i32, half: bool, rest: bool) -> vec2<u32> {
    let up = select(0u, 1u, half & (rest | ((digits.x & 1u) == 1u)));
    // Zero has no place.
    let exponent = select(at - EXPONENT_MIN, 0i, (digits.x | digits.y) == 0u);
    let rounded = add64(vec2<u32>(digits.x, digits.y + (u32(exponent) << 20u)), vec2<u32>(up, 0u));
    return select(rounded, vec2<u32>(0u, 0x7ff00000u), exponent >= 2046i);
}
