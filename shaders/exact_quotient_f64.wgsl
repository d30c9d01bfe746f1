// The sum divided by `divisor`, rounded once to f64 (low word, high word): long division as in exact_quotient.wgsl, to 53 digits.
fn quotient_f64(acc: Acc, divisor: vec2<u32>, count: vec2<u32>) -> array<u32, 2> {
    var size = size_of(acc);
    var at = max(highest(&size), AT_MIN) + 1i;
    var digits = vec2<u32>();
    var remainder = vec3<u32>();
    for (var step = 0u; step < 128u; step++) {
        if digits.y >> 20u == 1u | at == AT_MIN { break; }
        at--;
        remainder = next_remainder(remainder, bit_at(&size, at), divisor);
        digits = vec2<u32>((digits.x << 1u) | remainder.z, (digits.y << 1u) | (digits.x >> 31u));
    }
    remainder = next_remainder(remainder, bit_at(&size, at - 1i), divisor);
    let rest = (remainder.x | remainder.y) != 0u | any_below(&size, at - 1i);
    let up = select(0u, 1u, remainder.z == 1u & (rest | (digits.x & 1u) == 1u));
    let exponent = at - AT_MIN;
    let rounded = add64(vec2<u32>(digits.x, digits.y + (u32(exponent) << 20u)), vec2<u32>(up, 0u));
    let bits = select(rounded, vec2<u32>(0u, 0x7ff00000u), exponent >= 2046i);

    if (acc.flags & FLAG_NAN) != 0u | (acc.flags & 6u) == 6u { return array<u32, 2>(0u, 0x7ff80000u); }
    if (acc.flags & 6u) != 0u { return array<u32, 2>(0u, select(0xfff00000u, 0x7ff00000u, (acc.flags & FLAG_PLUS) != 0u)); }
    let only_minus_zeros = (acc.flags & FLAG_OTHER) == 0u & (count.x | count.y) != 0u;
    return array<u32, 2>(bits.x, bits.y | select(0u, 0x80000000u, is_negative(acc) | only_minus_zeros));
}
