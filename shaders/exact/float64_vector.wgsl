// Vectors of loads, each by itself.
//
// Expects: State; sizes_of; with_room, with_vector (exact/float64_vectors.wgsl).

fn accumulate_vector(state: State, vector: vec4<u32>, index: u32) -> State {
    let sizes = sizes_of(vector);
    return with_vector(with_room(state, 1u, sizes.y), vector, sizes);
}
