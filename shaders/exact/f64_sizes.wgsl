// The sizes of two f64, as exact/float64_window.wgsl asks for them.
//
// Expects: f64_size (exact/f64_size.wgsl).

fn largest_size(vector: vec4<u32>) -> u32 { return max(f64_size(vector.xy), f64_size(vector.zw)); }

fn least_size(vector: vec4<u32>, largest: u32) -> u32 {
    return min(f64_size(vector.xy) - 1u, f64_size(vector.zw) - 1u);
}
