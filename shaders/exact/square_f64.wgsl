// Squares of f64, one at a time.
//
// Expects: put (exact/square_f64_put.wgsl); State with replica and flags.

fn accumulate(state: State, bits: Bits, index: u32) -> State {
    return State(state.replica, state.flags | put(bits, state.replica));
}
