// The sum of a texel's numbers times weights. A number of weight 0 does not count, not even an infinity.
//
// Expects: TEXEL_WEIGHTS, the word of the tail at which the four weights' bits begin.
fn texel_weight(i: u32) -> f32 { return bitcast<f32>(parameter(TEXEL_WEIGHTS + i)); }

fn bits_of_texel(texel: vec4<f32>) -> u32 {
    let weights = vec4<f32>(texel_weight(0u), texel_weight(1u), texel_weight(2u), texel_weight(3u));
    let parts = select(vec4<f32>(), texel * weights, weights != vec4<f32>());
    return bitcast<u32>((parts.x + parts.y) + (parts.z + parts.w));
}
