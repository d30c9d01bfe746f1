// Two neighbours of two words each.
fn accumulate_vector(state: State, vector: vec4<u32>, index: u32) -> State {
    return accumulate(accumulate(state, vector.xy, index), vector.zw, index + 1u);
}
