// The product of two whole numbers of 64 bits: 128 bits, with a sign where the numbers have one.
//
// Expects: above_of(word), all ones where the number whose highest word this is is negative, else 0.

fn product64(a: vec2<u32>, b: vec2<u32>) -> array<u32, 4> {
    let low = multiply32(a.x, b.x);
    let one = add64(multiply32(a.x, b.y), vec2<u32>(low.y, 0u));
    let other = add64(multiply32(a.y, b.x), vec2<u32>(one.x, 0u));
    let high = add64(add64(multiply32(a.y, b.y), vec2<u32>(one.y, 0u)), vec2<u32>(other.y, 0u));
    // A negative number is taken for one that is 2^64 more.
    let over = add64(b & vec2<u32>(above_of(a.y)), a & vec2<u32>(above_of(b.y)));
    let upper = add64(add64(high, ~over), vec2<u32>(1u, 0u));
    return array<u32, 4>(low.x, other.x, upper.x, upper.y);
}
