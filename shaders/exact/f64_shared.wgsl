// f64, as two words, into shared bins, two at once. No branch but where a counter carries or an element is not finite.
//
// Expects: term, what is summed of the bits of an element; put (exact/f64_put.wgsl); double_flags (exact/f64_flags.wgsl).

struct State {
    replica: u32,
    flags: u32,
    others: u32,  // not 0 if an element is not -0
}

fn init_state(id: Invocation) -> State { return State(replica_of(id), 0u, 0u); }

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
