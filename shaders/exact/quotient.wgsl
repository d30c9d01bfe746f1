// The sum divided by the number of elements, rounded once to f32: 33 digits of the quotient, of which the first may be 0, and
// whether anything is left.
//
// Expects: next_digit (exact/digit.wgsl); leading, nearest (exact/round.wgsl); exact/specials.wgsl.

struct Quotient {
    first: u32,
    digits: u32,
    rest: u32,
}

// By a word whose highest bit is set.
fn divided_by_word(size: vec3<u32>, by: u32) -> Quotient {
    let first = size.x >= by;
    let upper = next_digit(size.x - select(0u, by, first), size.y >> 16u, by);
    let lower = next_digit(upper.y, size.y & 0xffffu, by);
    return Quotient(select(0u, 1u, first), (upper.x << 16u) + lower.x, lower.y | size.z);
}

// By two words, the upper in y, whose highest bit is set: bit by bit.
fn divided_by_two(size: vec3<u32>, by: vec2<u32>) -> Quotient {
    var left = size.yx;
    var all = Quotient();
    for (var k = 0u; k < 33u; k++) {
        let less = subtract96(vec3<u32>(left, all.rest), vec3<u32>(by, 0u));
        let fits = less.z == 0u;
        left = select(left, less.xy, fits);
        all = Quotient(all.digits >> 31u, (all.digits << 1u) | select(0u, 1u, fits), left.y >> 31u);
        if k < 32u { left = vec2<u32>((left.x << 1u) | ((size.z >> (31u - k)) & 1u), (left.y << 1u) | (left.x >> 31u)); }
    }
    all.rest = left.x | left.y;
    return all;
}

fn quotient_f32(acc: Acc, count: vec2<u32>) -> u32 {
    let size = leading(acc);
    var by: Quotient;
    var zeros = countLeadingZeros(count.x) & 31u;
    if count.y == 0u {
        by = divided_by_word(size.bits, count.x << zeros);
    } else {
        zeros = countLeadingZeros(count.y);
        let below = (count.x >> 1u) >> (31u - zeros);
        by = divided_by_two(size.bits, vec2<u32>(count.x << zeros, (count.y << zeros) | below));
        zeros -= 32u;
    }
    // 32 digits whose first is not 0.
    let bits = select(by.digits, (by.digits >> 1u) | 0x80000000u, by.first == 1u);
    let rest = by.rest | (by.digits & by.first) | size.rest;
    let highest = size.highest + bitcast<i32>(zeros) - 32i + bitcast<i32>(by.first);
    return with_specials(acc, nearest(bits, rest, highest), count);
}
