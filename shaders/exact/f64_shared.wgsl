// f64, as two words, into shared bins: the sign and the upper six bits of the exponent choose the place, the lower five shift
// the significand within it. No branch but where a counter carries or an element is not finite.
//
// Expects: term, what is summed of the bits of an element; double_flags (exact/f64_flags.wgsl); add_three (exact/linked.wgsl).

struct State {
    replica: u32,
    flags: u32,
    others: u32,  // not 0 if an element is not -0
}

fn init_state(id: Invocation) -> State { return State(replica_of(id), 0u, 0u); }

// Adds an element; returns 0 if it is -0.
fn put(bits: vec2<u32>, replica: u32) -> u32 {
    // Subnormals lack the leading one, and their exponent counts as 1.
    let tiny = (bits.y & 0x7ff00000u) == 0u;
    let high = (bits.y & 0xfffffu) | select(0x100000u, 0u, tiny);
    let left = select((bits.y >> 20u) & 31u, 1u, tiny);
    let middle = (high << left) | ((bits.x >> 1u) >> (31u - left));
    add_three(bits.y >> 25u, replica, bits.x << left, middle, (high >> 1u) >> (31u - left));
    return bits.x | (bits.y ^ 0x80000000u);
}

fn accumulate(state: State, given: Bits, index: u32) -> State {
    let bits = term(given);
    return State(state.replica, state.flags | double_flags(bits), state.others | put(bits, state.replica));
}

fn accumulate_vector(state: State, given: vec4<u32>, index: u32) -> State {
    let front = term(given.xy);
    let back = term(given.zw);
    let others = put(front, state.replica) | put(back, state.replica);
    var flags = state.flags;
    if max(front.y & 0x7fffffffu, back.y & 0x7fffffffu) >= 0x7ff00000u { flags |= double_flags(front) | double_flags(back); }
    return State(state.replica, flags, state.others | others);
}

fn flags_of(state: State) -> u32 { return state.flags | select(0u, FLAG_OTHER, state.others != 0u); }
