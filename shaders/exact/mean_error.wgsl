// The standard error of the mean, rounded once to f64 (low word, high word): the root of the variance divided by n.
//
// Expects: exact/deviation.wgsl, and what that expects. n·n·(n - ddof) has 128 bits, which 2^42 elements do not fill; of more
// there is a NaN.

fn mean_error_f64(acc: Acc, count: vec2<u32>, ddof: u32) -> array<u32, 2> {
    if count.y >> 10u != 0u { return array<u32, 2>(0u, 0x7ff80000u); }
    let once = divisor_of(count, ddof);
    var by = Limbs();
    for (var i = 0u; i < 4u; i++) { by[i] = once[i]; }
    var divisor = Limbs();
    add_product(&divisor, count.x, &by, 0u);
    add_product(&divisor, count.y, &by, 1u);
    return spread_root(acc, count, vec4<u32>(divisor[0], divisor[1], divisor[2], divisor[3]));
}
