// Sixteen neighbouring columns of a byte each.
alias Loaded = vec4<u32>;
fn load_own(place: u32) -> Loaded { return load(place / 16u); }
fn accumulate_one(state: State, loaded: Loaded, k: u32, index: u32) -> State {
    return accumulate(state, wide_bits(loaded[k / 4u] >> (k % 4u * 8u)), index);
}
