// Long division of a natural number by one of 128 bits, in digits of 16. Source: Knuth, The Art of Computer Programming 2, 4.3.1,
// algorithm D; digits are guessed too small by up to two, not too large.
//
// Expects: Top (exact/top.wgsl); highest128, shifted, times_word, borrowed64 (exact/words128.wgsl).

struct Quotient {
    digits: vec4<u32>,
    place: i32,  // of the last of them
    more: bool,  // whether something is behind it
}

struct Step {
    rest: vec4<u32>,
    digit: u32,
}

// A digit of 16 bits, and what remains: of `rest`, less than `by`, and `next` behind it. The highest bit of `by` is set.
fn step_of(rest: vec4<u32>, next: u32, by: vec4<u32>) -> Step {
    let taken = shifted16(rest, next);
    var digit = rest.w / ((by.w >> 16u) + 1u);
    let product = times_word(by, digit);
    let low = borrowed64(taken.xy, product.words.xy, 0u);
    let high = borrowed64(taken.zw, product.words.zw, low.z);
    var left = vec4<u32>(low.xy, high.xy);
    var above = (rest.w >> 16u) - product.above - high.z;
    for (var turn = 0u; turn < 2u; turn++) {
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

// The first 16 · count bits of a quotient, 128 or fewer, of which the first one or two may be 0; the divisor is not 0.
fn divided(size: Top, divisor: vec4<u32>, count: u32) -> Quotient {
    let zeros = 127u - highest128(divisor);
    let by = shifted(divisor, zeros);
    let words = size.words;
    // Half of it is less than the divisor.
    var rest = (words.high >> vec4<u32>(1u)) | vec4<u32>(words.high.yzw << vec3<u32>(31u), 0u);
    var next = (words.low >> vec4<u32>(1u)) | (vec4<u32>(words.low.yzw, words.high.x) << vec4<u32>(31u));
    var digits = vec4<u32>();
    for (var k = 0u; k < count; k++) {
        let step = step_of(rest, next.w >> 16u, by);
        rest = step.rest;
        next = shifted16(next, 0u);
        digits = shifted16(digits, step.digit);
    }
    let more = any((rest | next) != vec4<u32>()) | (((words.low.x & 1u) | words.next | words.rest) != 0u);
    return Quotient(digits, size.place + i32(zeros) - 126i - i32(16u * count), more);
}

// 16 bits behind a number.
fn shifted16(a: vec4<u32>, next: u32) -> vec4<u32> {
    return (a << vec4<u32>(16u)) | vec4<u32>(next, a.xyz >> vec3<u32>(16u));
}
