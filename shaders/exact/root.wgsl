// The square root of the sum, rounded once to f32: 32 digits, each of two bits of the sum, and whether anything is left. In units
// of 2^(UNIT / 2). Source: Zimmermann, Karatsuba Square Root (INRIA RR-3805): the upper digits are the root of the upper bits,
// the lower ones a quotient by these, one too large at most.
//
// Expects: leading, nearest (exact/round.wgsl); exact/specials.wgsl.

// The root of 32 bits in 16 digits: that of an f32 is off by one at most.
fn root_of_word(bits: u32) -> u32 {
    var digits = min(u32(sqrt(f32(bits))), 0xffffu);
    digits -= select(0u, 1u, digits * digits > bits);
    return digits + select(0u, 1u, bits - digits * digits > 2u * digits);
}

fn root_f32(acc: Acc) -> u32 {
    let size = leading(acc);
    // The first of two bits has an odd place: 0, where the sum's first has an even one.
    let odd = (size.highest & 1i) == 1i;
    let both = select((size.bits.xy >> vec2<u32>(1u)) | vec2<u32>(0u, size.bits.x << 31u), size.bits.xy, odd);
    let upper = root_of_word(both.x);
    let half = ((both.x - upper * upper) << 15u) | (both.y >> 17u);
    let lower = half / max(upper, 1u);
    let over = ((half - lower * upper) << 1u) | ((both.y >> 16u) & 1u);
    let rest = vec2<u32>((over << 16u) | (both.y & 0xffffu), over >> 16u);
    let square = vec2<u32>(lower * lower, lower >> 16u);
    let too_large = (rest.y < square.y) | ((rest.y == square.y) & (rest.x < square.x));
    let digits = (upper << 16u) + lower - select(0u, 1u, too_large);
    let cut = select(size.bits.y & 1u, 0u, odd) | size.bits.z | size.rest | select(0u, 1u, any(rest != square));
    // A norm has no sign, and that of -0 only is +0.
    return with_specials(acc, nearest(digits, cut, size.highest >> 1u), vec2<u32>());
}
