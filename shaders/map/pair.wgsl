// The values that a map makes of two vectors of a round, accumulated instead of them.
//
// Expects: map_vector (map/vector.wgsl).

fn accumulate_pair(state: State, front: vec4<u32>, back: vec4<u32>, left: u32, index: u32) -> State {
    let behind = index + STEP * PER_VECTOR;
    return made_accumulate_pair(state, map_vector(front, index), map_vector(back, behind), left, index);
}
