// The standard error of the mean, rounded once to f64 (low word, high word): the root of the variance divided by n.
//
// Expects: exact/deviation.wgsl, and what that expects; times (exact/words128.wgsl). n·n·(n - ddof) has 128 bits, which 2^42
// elements do not fill; of more there is a NaN.

fn mean_error_f64(acc: Acc, count: vec2<u32>, ddof: u32) -> array<u32, 2> {
    if count.y >> 10u != 0u { return array<u32, 2>(0u, 0x7ff80000u); }
    return spread_root(acc, count, times(divisor_of(count, ddof), count.x, count.y));
}
