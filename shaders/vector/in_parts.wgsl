// A vector of more than four neighbours, four after another.
fn accumulate_load(state: State, vector: vec4<u32>, index: u32) -> State {
    var all = state;
    all = accumulate_vector(all, part_of(vector, K), index + 4u * K);  // for K in 0..PARTS
    return all;
}
