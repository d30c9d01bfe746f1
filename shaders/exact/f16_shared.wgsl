// f16 into shared bins: the sign and the exponent choose the bin, and the significand is added as it is, so that a counter
// of 32 bits takes 2^21 elements. No branch but where one is not finite.
//
// Expects: term, terms: what is summed of the bits of one element, and of two in each word.

struct State {
    replica: u32,
    flags: u32,
    others: u32,  // not 0 if an element is not -0
}

fn init_state(id: Invocation) -> State { return State(replica_of(id), 0u, 0u); }

fn put(bits: u32, replica: u32) { bin_add(bits >> 10u, replica, (bits & 0x3ffu) | min(bits & 0x7c00u, 0x400u)); }

// The flags of an infinity or a NaN.
fn special(bits: u32) -> u32 {
    let size = bits & 0x7fffu;
    let infinity = select(FLAG_PLUS, FLAG_MINUS, (bits & 0x8000u) != 0u);
    return select(0u, FLAG_NAN, size > 0x7c00u) | select(0u, infinity, size == 0x7c00u);
}

fn specials(word: u32) -> u32 { return special(word & 0xffffu) | special(word >> 16u); }

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
    var flags = state.flags;
    // An exponent of all ones carries into the sign.
    let carried = (vector & vec4<u32>(0x7c007c00u)) + vec4<u32>(0x04000400u);
    if ((carried.x | carried.y | carried.z | carried.w) & 0x80008000u) != 0u {
        flags |= specials(vector.x) | specials(vector.y) | specials(vector.z) | specials(vector.w);
    }
    let others = vector ^ vec4<u32>(0x80008000u);
    return State(state.replica, flags, state.others | others.x | others.y | others.z | others.w);
}

fn flags_of(state: State) -> u32 { return state.flags | select(0u, FLAG_OTHER, state.others != 0u); }
