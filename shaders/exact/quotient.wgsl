// The sum divided by the number of elements, rounded once to f32: long division, digit by digit, until 24 stand there or
// the last place of f32 is reached; the digit behind and the remainder round.
fn quotient_f32(acc: Acc, count: vec2<u32>) -> u32 {
    var size = size_of(acc);
    var at = max(highest(&size), EXPONENT_MIN) + 1i;
    var digits = 0u;
    var remainder = vec3<u32>();
    // At most 64 places until the first digit is not 0, then 24.
    for (var step = 0u; step < 96u; step++) {
        if (digits >> 23u == 1u) | (at == EXPONENT_MIN) { break; }
        at--;
        remainder = next_remainder(remainder, bit_at(&size, at), count);
        digits = (digits << 1u) | remainder.z;
    }
    remainder = next_remainder(remainder, bit_at(&size, at - 1i), count);
    let rest = ((remainder.x | remainder.y) != 0u) | any_below(&size, at - 1i);
    return with_specials(acc, pack(digits, at, remainder.z == 1u, rest), count);
}

// Takes one more bit into the remainder (x, y); z is the quotient's digit.
fn next_remainder(remainder: vec3<u32>, bit: u32, count: vec2<u32>) -> vec3<u32> {
    let taken = vec3<u32>((remainder.x << 1u) | bit, (remainder.y << 1u) | (remainder.x >> 31u), remainder.y >> 31u);
    let less = subtract96(taken, vec3<u32>(count, 0u));
    return select(vec3<u32>(taken.xy, 0u), vec3<u32>(less.xy, 1u), less.z == 0u);
}
