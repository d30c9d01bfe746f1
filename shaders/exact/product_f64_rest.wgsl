// What the rounding of a product of two f64 leaves: the halves of its numbers multiply without.
//
// Expects: float64_of (exact/float64_levels.wgsl); upper_of (exact/upper_f64.wgsl).
fn rest_of(a: vec2<u32>, b: vec2<u32>, product: f64) -> f64 {
    let x = upper_of(a);
    let y = upper_of(b);
    let x_low = float64_of(a) - x;
    let y_low = float64_of(b) - y;
    return ((x * y - product) + (x * y_low + x_low * y)) + x_low * y_low;
}
