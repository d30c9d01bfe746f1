// The values that a map makes of four neighbours, accumulated instead of them.
//
// Expects: map_vector (map/vector.wgsl).

fn accumulate_vector(state: State, vector: vec4<u32>, index: u32) -> State {
    return made_accumulate_vector(state, map_vector(vector, index), index);
}
