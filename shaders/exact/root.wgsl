// The square root of the sum, rounded once to f32: digit by digit, two bits of the sum for each. In units of 2^(UNIT / 2).
fn root_f32(acc: Acc) -> u32 {
    var size = size_of(acc);
    var at = max(highest(&size) / 2i, EXPONENT_MIN) + 1i;
    var digits = 0u;
    var remainder = 0u;
    for (var step = 0u; step < 32u; step++) {
        if (digits >> 23u == 1u) | (at == EXPONENT_MIN) { break; }
        at--;
        remainder = (remainder << 2u) | (bit_at(&size, 2i * at + 1i) << 1u) | bit_at(&size, 2i * at);
        let trial = (digits << 2u) | 1u;
        let fits = remainder >= trial;
        remainder -= select(0u, trial, fits);
        digits = (digits << 1u) | select(0u, 1u, fits);
    }
    remainder = (remainder << 2u) | (bit_at(&size, 2i * at - 1i) << 1u) | bit_at(&size, 2i * at - 2i);
    let trial = (digits << 2u) | 1u;
    let half = remainder >= trial;
    remainder -= select(0u, trial, half);
    let rest = (remainder != 0u) | any_below(&size, 2i * at - 2i);
    // A norm has no sign, and that of -0 only is +0.
    return with_specials(acc, pack(digits, at, half, rest), vec2<u32>());
}
