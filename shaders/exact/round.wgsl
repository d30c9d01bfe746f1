// The sum, rounded once to f32.
fn rounded_f32(acc: Acc, count: vec2<u32>) -> u32 {
    var size = size_of(acc);
    let at = max(highest(&size) - 23i, EXPONENT_MIN);
    let digits = word_at(&size, at) & 0xffffffu;
    let bits = pack(digits, at, bit_at(&size, at - 1i) == 1u, any_below(&size, at - 1i));
    return with_specials(acc, bits, count);
}
