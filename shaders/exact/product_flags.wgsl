// The flags of the product of two f32, as any other way to multiply them would have it.
fn product_flags(a: u32, b: u32) -> u32 {
    let sizes = vec2<u32>(a, b) & vec2<u32>(0x7fffffffu);
    let negative = (a ^ b) >> 31u == 1u;
    let zero = (sizes.x == 0u) | (sizes.y == 0u);
    let infinite = (sizes.x == 0x7f800000u) | (sizes.y == 0x7f800000u);
    let nan = (sizes.x > 0x7f800000u) | (sizes.y > 0x7f800000u) | (zero & infinite);
    return select(0u, FLAG_NAN, nan)
        | select(0u, select(FLAG_PLUS, FLAG_MINUS, negative), infinite & !nan)
        | select(0u, FLAG_OTHER, !(zero & negative));
}
