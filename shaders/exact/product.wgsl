// The product of two f32: 48 bits, exact, into a bin for each limb.
//
// Expects: scatter (exact/scatter.wgsl), product_flags (exact/product_flags.wgsl).
fn accumulate_product(state: State, a: u32, b: u32) -> State {
    let sizes = vec2<u32>(a, b) & vec2<u32>(0x7fffffffu);
    let significands = (vec2<u32>(a, b) & vec2<u32>(0x7fffffu)) | min(sizes, vec2<u32>(0x800000u));
    let exponents = max(sizes, vec2<u32>(0x800000u)) >> vec2<u32>(23u);
    let negative = (a ^ b) >> 31u == 1u;
    scatter(multiply32(significands.x, significands.y), exponents.x + exponents.y, negative, state.replica);
    return State(state.replica, state.flags | product_flags(a, b));
}
