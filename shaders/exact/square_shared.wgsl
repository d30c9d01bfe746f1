// Squares of f32 into shared bins. No branch but where a counter carries.
//
// Expects: put, square_flags (exact/square_put.wgsl).

struct State {
    replica: u32,
    most: u32,  // the largest pattern without its sign: above 0xff000000 for a NaN, equal for an infinity
    flags: u32,
}

fn init_state(id: Invocation) -> State { return State(replica_of(id), 0u, 0u); }

fn accumulate(state: State, bits: Bits, index: u32) -> State {
    return State(state.replica, max(state.most, put(bits, state.replica)), FLAG_OTHER);
}

fn accumulate_vector(state: State, vector: vec4<u32>, index: u32) -> State {
    let front = max(put(vector.x, state.replica), put(vector.y, state.replica));
    let back = max(put(vector.z, state.replica), put(vector.w, state.replica));
    return State(state.replica, max(state.most, max(front, back)), FLAG_OTHER);
}

fn flags_of(state: State) -> u32 { return square_flags(state.most, state.flags); }
