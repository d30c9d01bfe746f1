// The product of two words. Needs 64-bit integers.
fn product_of(a: u32, b: u32) -> vec2<u32> {
    let product = u64(a) * u64(b);
    return vec2<u32>(u32(product), u32(product >> 32u));
}
