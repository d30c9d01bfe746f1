// Four squares at once where all of them lie in the window.
//
// Expects: accumulate_product, window_with (exact/product_values.wgsl); product_of (exact/multiply*.wgsl).
fn accumulate_vector(state: State, vector: vec4<u32>, index: u32) -> State {
    let sizes = vector & vec4<u32>(0x7fffffffu);
    let places = (max(sizes, vec4<u32>(0x800000u)) >> vec4<u32>(23u)) * 2u;
    var all = state;
    let ups = places - vec4<u32>(all.base);
    if any((ups > vec4<u32>(63u)) & (sizes != vec4<u32>())) | (all.held + 4u > 1u << 14u) {
        for (var k = 0u; k < 4u; k++) { all = accumulate_product(all, vector[k], vector[k]); }
        return all;
    }
    let roots = (vector & vec4<u32>(0x7fffffu)) | min(sizes, vec4<u32>(0x800000u));
    let at = ups & vec4<u32>(63u);
    all.window = window_with(all.window, product_of(roots.x, roots.x), at.x, 0u);
    all.window = window_with(all.window, product_of(roots.y, roots.y), at.y, 0u);
    all.window = window_with(all.window, product_of(roots.z, roots.z), at.z, 0u);
    all.window = window_with(all.window, product_of(roots.w, roots.w), at.w, 0u);
    all.held += 4u;
    let most = max(max(sizes.x, sizes.y), max(sizes.z, sizes.w));
    all.flags |= FLAG_OTHER | select(0u, FLAG_NAN, most > 0x7f800000u) | select(0u, FLAG_PLUS, most == 0x7f800000u);
    return all;
}
