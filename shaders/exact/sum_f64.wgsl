// An exact sum, rounded once to f64 (low word, high word).
//
// Expects: exact/natural.wgsl, size_of (exact/size.wgsl), pack_f64 (exact/pack_f64.wgsl), with_specials_f64
// (exact/specials_f64.wgsl); EXPONENT_MIN, the place of an f64's last digit at least.

fn rounded_f64(acc: Acc, count: vec2<u32>) -> array<u32, 2> {
    var size = size_of(acc);
    let at = max(highest(&size) - 52i, EXPONENT_MIN);
    let digits = vec2<u32>(word_at(&size, at), word_at(&size, at + 32i) & 0x1fffffu);
    let half = bit_at(&size, at - 1i) == 1u;
    return with_specials_f64(acc, pack_f64(digits, at, half, any_below(&size, at - 1i)), count);
}
