// Functions for operators on the bits of one f64, (low, high) words: integers decide, on every adapter.
fn is_nan(bits: vec2<u32>) -> bool {
    let size = bits.y & 0x7fffffffu;
    return (size > 0x7ff00000u) | ((size == 0x7ff00000u) & (bits.x != 0u));
}
fn is_zero(bits: vec2<u32>) -> bool { return ((bits.y & 0x7fffffffu) | bits.x) == 0u; }

// Keys order as the values do, -0 just below +0; tie() makes the two zeros one.
fn key(bits: vec2<u32>) -> vec2<u32> {
    let sign = bitcast<u32>(bitcast<i32>(bits.y) >> 31u);
    return bits ^ vec2<u32>(sign, sign | 0x80000000u);
}
fn unkey(k: vec2<u32>) -> vec2<u32> {
    let sign = bitcast<u32>(bitcast<i32>(~k.y) >> 31u);
    return k ^ vec2<u32>(sign, sign | 0x80000000u);
}
fn tie(k: vec2<u32>) -> vec2<u32> {
    return select(k, vec2<u32>(0u, 0x80000000u), (k.x == 0xffffffffu) & (k.y == 0x7fffffffu));
}
