// What a map makes of an element, in its place.
fn accumulate(state: State, bits: Bits, index: u32) -> State { return made_accumulate(state, map_bits(bits, index), index); }
