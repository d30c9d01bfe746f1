// Four neighbours, as two pairs.
fn accumulate_vector(state: State, vector: vec4<u32>, index: u32) -> State {
    let front = combine(lift(vector.x, index), lift(vector.y, index + 1u));
    let back = combine(lift(vector.z, index + 2u), lift(vector.w, index + 3u));
    return combine(state, combine(front, back));
}
