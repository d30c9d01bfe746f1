// One element of four words.
fn accumulate_vector(state: State, vector: vec4<u32>, index: u32) -> State { return accumulate(state, vector, index); }
