// Square roots of natural numbers. Source: Zimmermann, Karatsuba Square Root (INRIA RR-3805): the upper digits are the root of the
// upper bits, the lower ones a quotient by these, one too large at most.

struct Root {
    digits: u32,
    rest: vec2<u32>,  // what their square leaves (low word, high word), 2·digits at most
}

// The root of 32 bits in 16 digits: that of an f32 is off by one at most.
fn root_of_word(bits: u32) -> u32 {
    var digits = min(u32(sqrt(f32(bits))), 0xffffu);
    digits -= select(0u, 1u, digits * digits > bits);
    return digits + select(0u, 1u, bits - digits * digits > 2u * digits);
}

// The root of 64 bits (low word, high word) in 32 digits; one of the first two bits is set, or none is.
fn root_of(bits: vec2<u32>) -> Root {
    let upper = root_of_word(bits.y);
    let half = ((bits.y - upper * upper) << 15u) | (bits.x >> 17u);
    let lower = half / max(upper, 1u);
    let over = ((half - lower * upper) << 1u) | ((bits.x >> 16u) & 1u);
    let rest = vec2<u32>((over << 16u) | (bits.x & 0xffffu), over >> 16u);
    let square = vec2<u32>(lower * lower, lower >> 16u);
    let too_large = less64(rest, square);
    let digits = (upper << 16u) + lower - select(0u, 1u, too_large);
    let left = add64(add64(rest, ~square), vec2<u32>(1u, 0u));
    return Root(digits, select(left, add64(left, vec2<u32>((digits << 1u) | 1u, digits >> 31u)), too_large));
}
