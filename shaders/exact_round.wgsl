// The sum, rounded once to f32.
fn finish(acc: Acc, count: vec2<u32>) -> array<u32, 1> {
    var size = size_of(acc);
    let at = max(highest(&size) - 23i, AT_MIN);
    let digits = word_at(&size, at) & 0xffffffu;
    let bits = pack(digits, at, bit_at(&size, at - 1i) == 1u, any_below(&size, at - 1i));
    return array<u32, 1>(settled(acc, bits, count));
}
