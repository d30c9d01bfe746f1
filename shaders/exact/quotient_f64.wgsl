// A natural number (exact/top.wgsl) divided by one of 128 bits, rounded once to f64 (low word, high word).
//
// Expects: divided (exact/divide.wgsl), nearest_f64 (exact/round_f64.wgsl).
fn quotient_bits(size: Top, divisor: vec4<u32>) -> vec2<u32> {
    let found = divided(size, divisor, 4u);
    let zeros = countLeadingZeros(found.digits.y) & 31u;
    let digits = shifted(found.digits, zeros).xy;
    return nearest_f64(digits, found.more, found.place + 63i - i32(zeros));
}
