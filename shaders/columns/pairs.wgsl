// Two neighbouring columns of two words each.
alias Loaded = vec4<u32>;
fn load_own(place: u32) -> Loaded { return load(place / 2u); }
fn accumulate_one(state: State, loaded: Loaded, k: u32, index: u32) -> State {
    return accumulate(state, vec2<u32>(loaded[2u * k], loaded[2u * k + 1u]), index);
}
