// An element with itself.
fn accumulate(state: State, bits: Bits, index: u32) -> State { return accumulate_product(state, bits, bits); }
