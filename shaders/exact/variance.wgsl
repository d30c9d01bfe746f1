// The variance, rounded once to f64 (low word, high word): long division until 53 digits stand there.
//
// Expects: exact/natural.wgsl, exact/round_f64.wgsl, exact/spread.wgsl, exact/divisor.wgsl.

fn variance_f64(acc: Acc, count: vec2<u32>, ddof: u32) -> array<u32, 2> {
    var spread = spread_of(acc, count);
    let divisor = divisor_of(count, ddof);
    var at = highest(&spread) + 1i;
    if at == 0i { return array<u32, 2>(); }
    var digits = vec2<u32>();
    var rest = vec4<u32>();
    // The divisor has 128 places at most, so the first digit is found within as many; no variance is subnormal.
    for (var step = 0u; step < 192u; step++) {
        if digits.y >> 20u == 1u { break; }
        at--;
        let next = divide_bit(rest, bit_at(&spread, at), divisor);
        rest = next.rest;
        digits = vec2<u32>((digits.x << 1u) | next.digit, (digits.y << 1u) | (digits.x >> 31u));
    }
    let half = divide_bit(rest, bit_at(&spread, at - 1i), divisor);
    let more = any(half.rest != vec4<u32>()) | any_below(&spread, at - 1i);
    let bits = pack_f64(digits, at, half.digit == 1u, more);
    return array<u32, 2>(bits.x, bits.y);
}
