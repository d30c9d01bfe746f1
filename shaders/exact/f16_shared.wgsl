// f16 into shared bins: the sign and the exponent choose the bin, and the significand is added as it is, so that a counter
// of 32 bits takes 2^21 elements. No branch but where one is not finite.
//
// Expects: term, terms: what is summed of the bits of one element, and of two in each word; special, specials, others
// (exact/f16_flags.wgsl).

struct State {
    replica: u32,
    flags: u32,
    others: u32,  // not 0 if an element is not -0
}

fn init_state(id: Invocation) -> State { return State(replica_of(id), 0u, 0u); }

fn put(bits: u32, replica: u32) { bin_add(bits >> 10u, replica, (bits & 0x3ffu) | min(bits & 0x7c00u, 0x400u)); }

fn accumulate(state: State, given: Bits, index: u32) -> State {
    let bits = term(given);
    put(bits, state.replica);
    return State(state.replica, state.flags | special(bits), state.others | (bits ^ 0x8000u));
}

fn put_both(word: u32, replica: u32) {
    put(word & 0xffffu, replica);
    put(word >> 16u, replica);
}

fn accumulate_vector(state: State, given: vec4<u32>, index: u32) -> State {
    let vector = terms(given);
    put_both(vector.x, state.replica);
    put_both(vector.y, state.replica);
    put_both(vector.z, state.replica);
    put_both(vector.w, state.replica);
    return State(state.replica, state.flags | specials(vector), state.others | others(vector));
}

fn flags_of(state: State) -> u32 { return state.flags | select(0u, FLAG_OTHER, state.others != 0u); }
