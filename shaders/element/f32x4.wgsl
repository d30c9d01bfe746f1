// Functions for operators on the bits of four f32: a texel, or a vector of a buffer.
fn value(bits: vec4<u32>) -> vec4<f32> { return bitcast<vec4<f32>>(bits); }
