// The sum divided by `divisor`, rounded once to f64 (low word, high word): long division, digit by digit, until 53
// stand there or the last place of f64 is reached; the digit behind and the remainder round.
fn quotient_f64(acc: Acc, divisor: vec2<u32>, count: vec2<u32>) -> array<u32, 2> {
    var size = size_of(acc);
    var at = max(highest(&size), EXPONENT_MIN) + 1i;
    var digits = vec2<u32>();
    var remainder = vec3<u32>();
    for (var step = 0u; step < 128u; step++) {
        if (digits.y >> 20u == 1u) | (at == EXPONENT_MIN) { break; }
        at--;
        remainder = next_remainder(remainder, bit_at(&size, at), divisor);
        digits = vec2<u32>((digits.x << 1u) | remainder.z, (digits.y << 1u) | (digits.x >> 31u));
    }
    remainder = next_remainder(remainder, bit_at(&size, at - 1i), divisor);
    let rest = ((remainder.x | remainder.y) != 0u) | any_below(&size, at - 1i);
    let bits = pack_f64(digits, at, remainder.z == 1u, rest);
    if is_nan_sum(acc) { return array<u32, 2>(0u, 0x7ff80000u); }
    if is_infinite_sum(acc) { return array<u32, 2>(0u, sign_of(acc, count) | 0x7ff00000u); }
    return array<u32, 2>(bits.x, bits.y | sign_of(acc, count));
}

// Takes one more bit into the remainder (x, y); z is the quotient's digit.
fn next_remainder(remainder: vec3<u32>, bit: u32, count: vec2<u32>) -> vec3<u32> {
    let taken = vec3<u32>((remainder.x << 1u) | bit, (remainder.y << 1u) | (remainder.x >> 31u), remainder.y >> 31u);
    let less = subtract96(taken, vec3<u32>(count, 0u));
    return select(vec3<u32>(taken.xy, 0u), vec3<u32>(less.xy, 1u), less.z == 0u);
}
