// The two vectors that a load of eight neighbours is, as a pair.
//
// Expects: State; part_of (vector/part_of_halves.wgsl); accumulate_pair (exact/float64_pair.wgsl).

fn accumulate_load(state: State, vector: vec4<u32>, index: u32) -> State {
    return accumulate_pair(state, part_of(vector, 0u), part_of(vector, 1u), 2u, index);
}
