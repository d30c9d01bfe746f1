// The two halves of a pair.
fn accumulate(state: State, bits: Bits, index: u32) -> State { return accumulate_product(state, bits.x, bits.y); }
