// The product of two whole numbers of 64 bits without a sign: 128 bits.
//
// Expects: product_of (exact/multiply*.wgsl).
fn product128(a: vec2<u32>, b: vec2<u32>) -> vec4<u32> {
    let low = product_of(a.x, b.x);
    let one = add64(product_of(a.x, b.y), vec2<u32>(low.y, 0u));
    let other = add64(product_of(a.y, b.x), vec2<u32>(one.x, 0u));
    let high = add64(add64(product_of(a.y, b.y), vec2<u32>(one.y, 0u)), vec2<u32>(other.y, 0u));
    return vec4<u32>(low.x, other.x, high);
}
