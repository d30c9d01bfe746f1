// The square of a whole number of 64 bits without a sign: 128 bits.
//
// Expects: product_of (exact/multiply*.wgsl).
fn square64(a: vec2<u32>) -> vec4<u32> {
    let low = product_of(a.x, a.x);
    let middle = product_of(a.x, a.y);
    let second = low.y + (middle.x << 1u);
    let carry = select(0u, 1u, second < low.y);
    let twice = vec2<u32>((middle.y << 1u) | (middle.x >> 31u), middle.y >> 31u);
    let high = add64(add64(product_of(a.y, a.y), twice), vec2<u32>(carry, 0u));
    return vec4<u32>(low.x, second, high);
}
