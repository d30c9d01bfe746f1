// The values that a map makes of four neighbours, accumulated instead of them.
fn accumulate_vector(state: State, vector: vec4<u32>, index: u32) -> State {
    let front = vec2<u32>(map_bits(vector.x, index), map_bits(vector.y, index + 1u));
    let back = vec2<u32>(map_bits(vector.z, index + 2u), map_bits(vector.w, index + 3u));
    return made_accumulate_vector(state, vec4<u32>(front, back), index);
}
