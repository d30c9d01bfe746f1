// The standard deviation, rounded once to f64 (low word, high word): the root of the variance, two bits of it for each digit.
//
// Expects: exact/natural.wgsl, exact/round_f64.wgsl, exact/spread.wgsl, exact/divisor.wgsl.

fn deviation_f64(acc: Acc, count: vec2<u32>, ddof: u32) -> array<u32, 2> {
    return spread_root(acc, count, divisor_of(count, ddof));
}

// The root of n·Q - S² divided by a number.
fn spread_root(acc: Acc, count: vec2<u32>, divisor: vec4<u32>) -> array<u32, 2> {
    var spread = spread_of(acc, count);
    let top = highest(&spread);
    if top < 0i { return array<u32, 2>(); }
    var at = top / 2i + 1i;
    var root = Root(vec2<u32>(), vec2<u32>(), vec4<u32>());
    for (var step = 0u; step < 128u; step++) {
        if root.digits.y >> 20u == 1u { break; }
        at--;
        root = next_digit(root, bit_at(&spread, 2i * at + 1i), bit_at(&spread, 2i * at), divisor);
    }
    let half = next_digit(root, bit_at(&spread, 2i * at - 1i), bit_at(&spread, 2i * at - 2i), divisor);
    let remains = any(half.rest != vec4<u32>()) | any(half.remainder != vec2<u32>());
    let more = remains | any_below(&spread, 2i * at - 2i);
    let bits = pack_f64(root.digits, at, (half.digits.x & 1u) == 1u, more);
    return array<u32, 2>(bits.x, bits.y);
}

// The digits of a root so far, what remains of the variance's bits that were taken, and of the division that gives them.
struct Root { digits: vec2<u32>, remainder: vec2<u32>, rest: vec4<u32> }

// Two more bits behind a number.
fn shift_in(a: vec2<u32>, bits: u32) -> vec2<u32> { return vec2<u32>((a.x << 2u) | bits, (a.y << 2u) | (a.x >> 30u)); }

fn next_digit(root: Root, high: u32, low: u32, divisor: vec4<u32>) -> Root {
    let first = divide_bit(root.rest, high, divisor);
    let second = divide_bit(first.rest, low, divisor);
    let remainder = shift_in(root.remainder, (first.digit << 1u) | second.digit);
    let trial = shift_in(root.digits, 1u);
    let less = subtract64(remainder, trial, 0u);
    let fits = less.z == 0u;
    let digits = vec2<u32>((root.digits.x << 1u) | select(0u, 1u, fits), (root.digits.y << 1u) | (root.digits.x >> 31u));
    return Root(digits, select(remainder, less.xy, fits), second.rest);
}
