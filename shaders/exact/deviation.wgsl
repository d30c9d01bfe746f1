// The standard deviation, rounded once to f64 (low word, high word): the root of the variance, of which two bits give a digit. None
// is subnormal.
//
// Expects: exact/natural.wgsl, exact/spread.wgsl, exact/divisor.wgsl, divided (exact/divide.wgsl), rounded_digits
// (exact/quotient_f64.wgsl).

fn deviation_f64(acc: Acc, count: vec2<u32>, ddof: u32) -> array<u32, 2> {
    return spread_root(acc, count, divisor_of(count, ddof));
}

// The root of n·Q - S² divided by a number.
fn spread_root(acc: Acc, count: vec2<u32>, divisor: vec4<u32>) -> array<u32, 2> {
    var spread = spread_of(acc, count);
    let top = highest(&spread);
    if top < 0i { return array<u32, 2>(); }
    // The root's first digit stands here or one place lower: 55 digits or 54 follow from 110 bits of the quotient or fewer.
    let at = ((top - i32(highest128(divisor))) >> 1u) - 54i;
    let square = divided(&spread, 2i * at, 7u, divisor);
    var left = shifted(square.digits, 18u);
    var digits = vec2<u32>();
    var rest = vec2<u32>();
    for (var k = 0u; k < 55u; k++) {
        let remainder = shift_in(rest, left.w >> 30u);
        left = shifted(left, 2u);
        let less = borrowed64(remainder, shift_in(digits, 1u), 0u);
        let fits = less.z == 0u;
        rest = select(remainder, less.xy, fits);
        digits = vec2<u32>((digits.x << 1u) | select(0u, 1u, fits), (digits.y << 1u) | (digits.x >> 31u));
    }
    let bits = rounded_digits(digits, at, square.more | any(rest != vec2<u32>()));
    return array<u32, 2>(bits.x, bits.y);
}

// Two more bits behind a number.
fn shift_in(a: vec2<u32>, bits: u32) -> vec2<u32> { return vec2<u32>((a.x << 2u) | bits, (a.y << 2u) | (a.x >> 30u)); }
