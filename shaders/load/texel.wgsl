// One element is a whole texel, its four numbers as words; so is a vector.
//
// Expects: in params, `partner` is the texels of a row. A place below the last row is read as the language has it, any texel or
// zeros, and not accumulated.

@group(0) @binding(0) var texels: texture_2d<f32>;

fn texel_place(e: u32) -> vec2<u32> { return vec2<u32>(e % params.partner, e / params.partner); }

fn load(v: u32) -> vec4<u32> { return bitcast<vec4<u32>>(textureLoad(texels, texel_place(v), 0)); }
fn element(e: u32) -> Bits { return bitcast<vec4<u32>>(textureLoad(texels, texel_place(e), 0)); }
