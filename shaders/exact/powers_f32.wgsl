// The factors of a power of an f32, as the bits of two f64, which hold all digits of it and of its square. Integers make them, so
// that nothing depends on what a device does to subnormal numbers.
//
// Expects: significand_of (exact/f32_amount.wgsl).

// The f64 of digits, fewer than 54, whose last one stands at 2^(place - 1075).
fn f64_of(digits: vec2<u32>, place: u32, sign: u32) -> vec2<u32> {
    if (digits.x | digits.y) == 0u { return vec2<u32>(0u, sign); }
    let left = select(countLeadingZeros(digits.x) + 21u, countLeadingZeros(digits.y) - 11u, digits.y != 0u);
    let near = vec2<u32>(digits.x << (left & 31u), (digits.y << (left & 31u)) | ((digits.x >> 1u) >> (31u - (left & 31u))));
    let whole = select(near, vec2<u32>(0u, near.x), left > 31u);
    return vec2<u32>(whole.x, (whole.y & 0xfffffu) | ((place - left) << 20u) | sign);
}

// What is not finite.
fn special_of(bits: u32, sign: u32) -> vec2<u32> {
    return vec2<u32>(0u, sign | select(0x7ff00000u, 0x7ff80000u, (bits & 0x7fffffu) != 0u));
}

fn number_of(bits: u32) -> vec2<u32> {
    let exponent = (bits >> 23u) & 255u;
    if exponent == 255u { return special_of(bits, bits & 0x80000000u); }
    return f64_of(vec2<u32>(significand_of(bits), 0u), exponent + 925u, bits & 0x80000000u);
}

fn square_of(bits: u32) -> vec2<u32> {
    let exponent = (bits >> 23u) & 255u;
    if exponent == 255u { return special_of(bits, 0u); }
    let digits = significand_of(bits);
    return f64_of(multiply32(digits, digits), 2u * exponent + 775u, 0u);
}
