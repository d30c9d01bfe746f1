// Eight neighbours of half a word each.
fn accumulate_vector(state: State, vector: vec4<u32>, index: u32) -> State {
    var all = state;
    all = accumulate(accumulate(all, vector.x & 0xffffu, index), vector.x >> 16u, index + 1u);
    all = accumulate(accumulate(all, vector.y & 0xffffu, index + 2u), vector.y >> 16u, index + 3u);
    all = accumulate(accumulate(all, vector.z & 0xffffu, index + 4u), vector.z >> 16u, index + 5u);
    return accumulate(accumulate(all, vector.w & 0xffffu, index + 6u), vector.w >> 16u, index + 7u);
}
