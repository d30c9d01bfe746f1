// Eight neighbouring columns of half a word each.
alias Loaded = vec4<u32>;
fn load_own(place: u32) -> Loaded { return load(place / 8u); }
fn accumulate_one(state: State, loaded: Loaded, k: u32, index: u32) -> State {
    return accumulate(state, wide_bits(loaded[k / 2u] >> (k % 2u * 16u)), index);
}
