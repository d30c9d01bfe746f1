// One answer a group: an element at a time.
alias Loaded = Bits;
fn load_own(place: u32) -> Loaded { return element(place); }
fn accumulate_one(state: State, loaded: Loaded, k: u32, index: u32) -> State {
    return accumulate(state, loaded, index);
}
