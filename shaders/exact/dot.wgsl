// Two factors of a pair.
//
// Expects: factors, those of two pairs; accumulate_product (exact/product.wgsl or product_values.wgsl).
fn accumulate(state: State, bits: Bits, index: u32) -> State {
    let pair = factors(bits.xyxy);
    return accumulate_product(state, pair.x, pair.y);
}
