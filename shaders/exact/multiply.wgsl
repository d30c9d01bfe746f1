// The product of two words.
fn product_of(a: u32, b: u32) -> vec2<u32> { return multiply32(a, b); }
