// The square of a whole number of 64 bits without a sign: 128 bits.
fn square64(a: vec2<u32>) -> array<u32, 4> {
    let low = multiply32(a.x, a.x);
    let middle = multiply32(a.x, a.y);
    let second = low.y + (middle.x << 1u);
    let carry = select(0u, 1u, second < low.y);
    let twice = vec2<u32>((middle.y << 1u) | (middle.x >> 31u), middle.y >> 31u);
    let high = add64(add64(multiply32(a.y, a.y), twice), vec2<u32>(carry, 0u));
    return array<u32, 4>(low.x, second, high.x, high.y);
}
