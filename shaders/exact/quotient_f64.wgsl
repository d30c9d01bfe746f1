// A natural number (exact/natural.wgsl) divided by one of 128 bits, rounded once to f64 (low word, high word).
//
// Expects: divided (exact/divide.wgsl), pack_f64 (exact/round_f64.wgsl).
fn quotient_bits(size: ptr<function, Limbs>, divisor: vec4<u32>) -> vec2<u32> {
    // The first digit stands here or one place lower: 53 digits, or those to the last place of f64, one more, and one to round by.
    let first = highest(size) - i32(highest128(divisor));
    let at = max(first - 53i, EXPONENT_MIN) - 1i;
    let found = divided(size, at, 4u, divisor);
    return rounded_digits(found.digits.xy, at, found.more);
}

// The f64 of 55 digits or fewer, whose last one is at this place.
fn rounded_digits(digits: vec2<u32>, at: i32, more: bool) -> vec2<u32> {
    let less = digits.y >> 22u;  // 1 of 55
    let by = 1u + less;
    let kept = vec2<u32>((digits.x >> by) | (digits.y << (32u - by)), digits.y >> by);
    let half = ((digits.x >> less) & 1u) == 1u;
    return pack_f64(kept, at + i32(by), half, more | ((digits.x & less) == 1u));
}
