// One answer a group: a vector of its neighbouring elements at a time, in which places and indices are counted.
alias Loaded = vec4<u32>;
fn load_own(place: u32) -> Loaded { return load(place); }
fn accumulate_one(state: State, loaded: Loaded, k: u32, index: u32) -> State {
    return accumulate_vector(state, loaded, index * PER_VECTOR);
}
