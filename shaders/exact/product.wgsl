// The product of two f32: 48 bits, exact, into a bin for each limb.
fn accumulate_product(state: State, a: u32, b: u32) -> State {
    let sizes = vec2<u32>(a, b) & vec2<u32>(0x7fffffffu);
    let significands = (vec2<u32>(a, b) & vec2<u32>(0x7fffffu)) | min(sizes, vec2<u32>(0x800000u));
    let exponents = max(sizes, vec2<u32>(0x800000u)) >> vec2<u32>(23u);
    let negative = (a ^ b) >> 31u == 1u;
    scatter(multiply32(significands.x, significands.y), exponents.x + exponents.y, negative, state.replica);
    let zero = (sizes.x == 0u) | (sizes.y == 0u);
    let infinite = (sizes.x == 0x7f800000u) | (sizes.y == 0x7f800000u);
    let nan = (sizes.x > 0x7f800000u) | (sizes.y > 0x7f800000u) | (zero & infinite);
    let flags = select(0u, FLAG_NAN, nan)
        | select(0u, select(FLAG_PLUS, FLAG_MINUS, negative), infinite & !nan)
        | select(0u, FLAG_OTHER, !(zero & negative));
    return State(state.replica, state.flags | flags);
}
