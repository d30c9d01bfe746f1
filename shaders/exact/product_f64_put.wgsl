// The product of two f64: 106 bits, exact, into a bin for each limb.
//
// Expects: product128 (exact/product128.wgsl), scatter128 (exact/scatter128.wgsl).

// The flags of a product, as any other way to multiply would have it.
fn product_flags(a: vec2<u32>, b: vec2<u32>) -> u32 {
    let size = vec2<u32>(a.y, b.y) & vec2<u32>(0x7fffffffu);
    let negative = (a.y ^ b.y) >> 31u == 1u;
    let some = vec2<u32>(min(a.x, 1u), min(b.x, 1u));
    let zero = ((size.x | a.x) == 0u) | ((size.y | b.x) == 0u);
    let largest = max(size.x | some.x, size.y | some.y);
    let nan = (largest > 0x7ff00000u) | (zero & (largest == 0x7ff00000u));
    return select(0u, FLAG_NAN, nan)
        | select(0u, select(FLAG_PLUS, FLAG_MINUS, negative), (largest == 0x7ff00000u) & !nan)
        | select(0u, FLAG_OTHER, !(zero & negative));
}

// Adds a product; returns its flags.
fn put(a: vec2<u32>, b: vec2<u32>, replica: u32) -> u32 {
    let size = vec2<u32>(a.y, b.y) & vec2<u32>(0x7fffffffu);
    // 53 bits with the leading one, which subnormals lack; their exponent counts as 1.
    let high = (size & vec2<u32>(0xfffffu)) | min(size & vec2<u32>(0x7ff00000u), vec2<u32>(0x100000u));
    let exponents = max(size >> vec2<u32>(20u), vec2<u32>(1u));
    let product = product128(vec2<u32>(a.x, high.x), vec2<u32>(b.x, high.y));
    scatter128(product, exponents.x + exponents.y, (a.y ^ b.y) >> 31u == 1u, replica);
    return product_flags(a, b);
}
