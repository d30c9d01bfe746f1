// The value that a map makes of an element, accumulated instead of it.
fn accumulate(state: State, bits: Bits, index: u32) -> State { return made_accumulate(state, map_bits(bits, index), index); }
