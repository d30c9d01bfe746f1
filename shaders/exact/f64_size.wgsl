// The size of an f64, as exact/float64_window.wgsl asks for it.

const FIELD = 20u;
const ONE = 0x3ff00000u;

// The upper word; of a number that is less than any that has one, not of 0.
fn f64_size(bits: vec2<u32>) -> u32 { return (bits.y & 0x7fffffffu) | min(bits.x, 1u); }
