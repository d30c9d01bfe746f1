// Squares of f32 into shared bins: the upper six bits of the exponent choose the place, the lower two shift the root within
// it. No branch but where a counter carries.
//
// Expects: significand_of (exact/f32_amount.wgsl), product_of (exact/multiply*.wgsl), add_two (exact/linked.wgsl).

struct State {
    replica: u32,
    most: u32,  // the largest pattern without its sign: above 0xff000000 for a NaN, equal for an infinity
    flags: u32,
}

fn init_state(id: Invocation) -> State { return State(replica_of(id), 0u, 0u); }

// Adds a square, of at most 54 bits; returns the pattern of its root without the sign.
fn put(bits: u32, replica: u32) -> u32 {
    let root = significand_of(bits) << ((bits >> 23u) & 3u);
    let square = product_of(root, root);
    add_two((bits >> 25u) & 63u, replica, square.x, square.y);
    return bits << 1u;
}

fn accumulate(state: State, bits: Bits, index: u32) -> State {
    return State(state.replica, max(state.most, put(bits, state.replica)), FLAG_OTHER);
}

fn accumulate_vector(state: State, vector: vec4<u32>, index: u32) -> State {
    let front = max(put(vector.x, state.replica), put(vector.y, state.replica));
    let back = max(put(vector.z, state.replica), put(vector.w, state.replica));
    return State(state.replica, max(state.most, max(front, back)), FLAG_OTHER);
}

fn flags_of(state: State) -> u32 {
    return state.flags | select(0u, FLAG_NAN, state.most > 0xff000000u) | select(0u, FLAG_PLUS, state.most == 0xff000000u);
}
