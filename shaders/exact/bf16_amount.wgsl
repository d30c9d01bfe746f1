// The amount of a bf16, whose bits are those of an f32 with a lower half of 0: what f32_amount.wgsl has without its lower 16 bits,
// which columns put back.

// At most 15 bits: 2^17 of them fit a counter. Subnormals lack the leading one, and stand where the least exponent does.
fn amount_of(bits: u32) -> u32 {
    let size = (bits >> 16u) & 0x7fffu;
    let significand = (size & 0x7fu) | min(size, 0x80u);
    return significand << ((max(size, 0x80u) >> 7u) & 7u);
}
