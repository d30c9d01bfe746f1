// Four neighbours, one after another.
fn accumulate_vector(state: State, vector: vec4<u32>, index: u32) -> State {
    let front = accumulate(accumulate(state, vector.x, index), vector.y, index + 1u);
    return accumulate(accumulate(front, vector.z, index + 2u), vector.w, index + 3u);
}
