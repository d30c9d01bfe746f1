// The variance, rounded once to f64 (low word, high word). None is subnormal.
//
// Expects: exact/spread.wgsl, exact/divisor.wgsl, quotient_bits (exact/quotient_f64.wgsl).
fn variance_f64(acc: Acc, count: vec2<u32>, ddof: u32) -> array<u32, 2> {
    let bits = quotient_bits(spread_of(acc, count), divisor_of(count, ddof));
    return array<u32, 2>(bits.x, bits.y);
}
