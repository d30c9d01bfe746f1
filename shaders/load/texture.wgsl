// One element is a number made of a texel; a vector has four of them, which are neighbours in the texels' order, row by row. One
// division finds the first; from a row's last texel the next one is the first of the row below.
//
// Expects: TexelNumber (f32, i32 or u32), bits_of_texel; in params, `partner` is the texels of a row. A place below the last row is
// read as the language has it, any texel or zeros, and not accumulated.

@group(0) @binding(0) var texels: texture_2d<TexelNumber>;

fn texel_at(at: vec2<u32>) -> u32 { return bits_of_texel(textureLoad(texels, at, 0)); }
fn texel_place(e: u32) -> vec2<u32> { return vec2<u32>(e % params.partner, e / params.partner); }

fn texel_behind(at: vec2<u32>) -> vec2<u32> {
    return select(vec2<u32>(at.x + 1u, at.y), vec2<u32>(0u, at.y + 1u), at.x + 1u == params.partner);
}

fn texels_from(first: vec2<u32>) -> vec4<u32> {
    let second = texel_behind(first);
    let third = texel_behind(second);
    return vec4<u32>(texel_at(first), texel_at(second), texel_at(third), texel_at(texel_behind(third)));
}

fn load(v: u32) -> vec4<u32> { return texels_from(texel_place(4u * v)); }
fn element(e: u32) -> Bits { return texel_at(texel_place(e)); }
