// The standard deviation, rounded once to f64 (low word, high word): the root of the variance, by 64 digits. None is subnormal.
//
// Expects: exact/spread.wgsl, exact/divisor.wgsl, divided (exact/divide.wgsl), root_of (exact/root.wgsl), next_digit
// (exact/digit.wgsl), nearest_f64 (exact/round_f64.wgsl).

fn deviation_f64(acc: Acc, count: vec2<u32>, ddof: u32) -> array<u32, 2> {
    return spread_root(acc, count, divisor_of(count, ddof));
}

// The root of n·Q - S² divided by a number.
fn spread_root(acc: Acc, count: vec2<u32>, divisor: vec4<u32>) -> array<u32, 2> {
    let square = divided(spread_of(acc, count), divisor, 8u);
    let digits = square.digits;
    if digits.w == 0u { return array<u32, 2>(); }
    // The last of the bits has an even place, and one of the first two is set.
    let odd = (square.place & 1i) == 1i;
    let cut = odd & (digits.w >> 31u == 1u);
    let half = (digits >> vec4<u32>(1u)) | vec4<u32>(digits.yzw << vec3<u32>(31u), 0u);
    let bits = select(select(digits, shifted(digits, 1u), odd), half, vec4<bool>(cut));
    let place = (square.place + select(0i, 1i, cut)) >> 1u;
    let root = longer_root(bits);
    let more = square.more | root.more | (cut & ((digits.x & 1u) == 1u));
    let found = nearest_f64(root.digits, more, place + 63i);
    return array<u32, 2>(found.x, found.y);
}

struct LongRoot {
    digits: vec2<u32>,
    more: bool,
}

// The root of 128 bits in 64 digits, the lower half as exact/root.wgsl finds that of 32.
fn longer_root(bits: vec4<u32>) -> LongRoot {
    let upper = root_of(bits.zw);
    let half = vec2<u32>((upper.rest.x << 31u) | (bits.y >> 1u), (upper.rest.y << 31u) | (upper.rest.x >> 1u));
    // A quotient of 33 digits: these bits are those of the next root's square but for some at the end.
    if half.y >= upper.digits { return LongRoot(vec2<u32>(0xffffffffu, upper.digits), true); }
    let first = next_digit(half.y, half.x >> 16u, upper.digits);
    let second = next_digit(first.y, half.x & 0xffffu, upper.digits);
    let lower = (first.x << 16u) + second.x;
    let rest = vec2<u32>(bits.x, (second.y << 1u) | (bits.y & 1u));
    let square = multiply32(lower, lower);
    let too_large = (second.y >> 31u == 0u) & less64(rest, square);
    let digits = add64(vec2<u32>(lower, upper.digits), vec2<u32>(select(0u, 0xffffffffu, too_large)));
    return LongRoot(digits, (second.y >> 31u == 1u) | any(rest != square));
}
