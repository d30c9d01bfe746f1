// An exact sum divided by the number of elements, rounded once to f64 (low word, high word); of none a NaN.
//
// Expects: top_of (exact/sum_top.wgsl), quotient_bits (exact/quotient_f64.wgsl), with_specials_f64
// (exact/specials_f64.wgsl).
fn mean_f64(acc: Acc, count: vec2<u32>) -> array<u32, 2> {
    if (count.x | count.y) == 0u { return array<u32, 2>(0u, 0x7ff80000u); }
    return with_specials_f64(acc, quotient_bits(top_of(acc), vec4<u32>(count, 0u, 0u)), count);
}
