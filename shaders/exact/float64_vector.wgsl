// Vectors of loads, each by itself.
//
// Expects: State; largest_size, least_size; with_room, with_vector (exact/float64_vectors.wgsl).

fn accumulate_vector(state: State, vector: vec4<u32>, index: u32) -> State {
    let largest = largest_size(vector);
    let all = with_room(state, 1u, largest);
    // Not before: registers are few beside other operators.
    return with_vector(all, vector, vec2<u32>(least_size(vector, largest), largest));
}
