// The f64 (low word, high word) nearest to a number by its first 64 bits and what follows: 53 digits and one behind them, fewer
// where an f64's end above. Ties go to the even one.
//
// Expects: pack_f64 (exact/pack_f64.wgsl); EXPONENT_MIN, the place of an f64's last digit at least.

// The first of these bits, which is set, has place `highest`; zero has none.
fn nearest_f64(bits: vec2<u32>, rest: bool, highest: i32) -> vec2<u32> {
    let at = max(highest - 52i, EXPONENT_MIN);
    let more = u32(clamp(at - highest + 52i, 0i, 54i));
    let all = right64(bits, 10u);
    let digits = right64(all, more);
    let ones = ~(0xffffffffu << (more & 31u));
    let cut = select(all.x & ones, all.x | (all.y & ones), more >= 32u) | (bits.x & 0x3ffu);
    return pack_f64(right64(digits, 1u), at, (digits.x & 1u) == 1u, rest | (cut != 0u));
}

// Up to 63 places to the right.
fn right64(a: vec2<u32>, places: u32) -> vec2<u32> {
    let words = select(a, vec2<u32>(a.y, 0u), places >= 32u);
    let right = places & 31u;
    return vec2<u32>((words.x >> right) | ((words.y << 1u) << (31u - right)), words.y >> right);
}
