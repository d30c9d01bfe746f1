// The sizes of two f64, as exact/float64_window.wgsl asks for them.
//
// Expects: f64_size (exact/f64_size.wgsl).

fn sizes_of(vector: vec4<u32>) -> vec2<u32> {
    let sizes = vec2<u32>(f64_size(vector.xy), f64_size(vector.zw));
    return vec2<u32>(min(sizes.x - 1u, sizes.y - 1u), max(sizes.x, sizes.y));
}
