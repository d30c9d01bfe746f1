// One column of four words.
alias Loaded = vec4<u32>;
fn load_own(place: u32) -> Loaded { return load(place); }
fn accumulate_one(state: State, loaded: Loaded, k: u32, index: u32) -> State {
    return accumulate(state, loaded, index);
}
