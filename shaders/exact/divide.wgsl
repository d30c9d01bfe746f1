// Long division of a natural number (exact/natural.wgsl) by one of 128 bits, in digits of 16. Source: Knuth, The Art of Computer
// Programming 2, 4.3.1, algorithm D; digits are guessed too small by up to two, not too large.
//
// Expects: word_at, any_below (exact/natural.wgsl); highest128, shifted, times_word, borrowed64
// (exact/words128.wgsl).

struct Quotient {
    digits: vec4<u32>,
    more: bool,  // whether something is behind them
}

struct Step {
    rest: vec4<u32>,
    digit: u32,
}

// A digit of 16 bits, and what remains: of `rest`, less than `by`, and `next` behind it. The highest bit of `by` is set.
fn step_of(rest: vec4<u32>, next: u32, by: vec4<u32>) -> Step {
    let taken = (rest << vec4<u32>(16u)) | vec4<u32>(next, rest.xyz >> vec3<u32>(16u));
    var digit = rest.w / ((by.w >> 16u) + 1u);
    let product = times_word(by, digit);
    let low = borrowed64(taken.xy, product.words.xy, 0u);
    let high = borrowed64(taken.zw, product.words.zw, low.z);
    var left = vec4<u32>(low.xy, high.xy);
    var above = (rest.w >> 16u) - product.above - high.z;
    for (var k = 0u; k < 2u; k++) {
        let less = borrowed64(left.xy, by.xy, 0u);
        let less_high = borrowed64(left.zw, by.zw, less.z);
        if above >= less_high.z {
            left = vec4<u32>(less.xy, less_high.xy);
            above -= less_high.z;
            digit++;
        }
    }
    return Step(left, digit);
}

// The quotient from place `at` on, which has so many digits of 16 bits at most, eight or fewer; the divisor is not 0.
fn divided(size: ptr<function, Limbs>, at: i32, count: u32, divisor: vec4<u32>) -> Quotient {
    let zeros = 127u - highest128(divisor);
    let by = shifted(divisor, zeros);
    let base = at - i32(zeros);
    let first = base + i32(16u * count);
    var rest = vec4<u32>(word_at(size, first), word_at(size, first + 32i), word_at(size, first + 64i), word_at(size, first + 96i));
    var digits = vec4<u32>();
    for (var k = count; k > 0u; k--) {
        let step = step_of(rest, word_at(size, base + i32(16u * k) - 16i) & 0xffffu, by);
        rest = step.rest;
        digits = (digits << vec4<u32>(16u)) | vec4<u32>(step.digit, digits.xyz >> vec3<u32>(16u));
    }
    return Quotient(digits, any(rest != vec4<u32>()) | any_below(size, base));
}
