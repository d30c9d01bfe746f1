// The product of two whole numbers of 64 bits: 128 bits, with a sign where the numbers have one.
//
// Expects: product128 (exact/product128.wgsl); above_of(word), all ones where the number whose highest word this is is negative,
// else 0.

fn product64(a: vec2<u32>, b: vec2<u32>) -> vec4<u32> {
    let words = product128(a, b);
    // A negative number is taken for one that is 2^64 more.
    let over = add64(b & vec2<u32>(above_of(a.y)), a & vec2<u32>(above_of(b.y)));
    return vec4<u32>(words.xy, add64(add64(words.zw, ~over), vec2<u32>(1u, 0u)));
}
