// An element that does not pass leaves a state as it is.
fn accumulate(state: State, bits: Bits, index: u32) -> State {
    if keeps(bits) { return kept_accumulate(state, bits, index); }
    return state;
}
