// Products of two f64, one at a time.
//
// Expects: factors, those of an element; put (exact/product_f64_put.wgsl); State with replica and flags.

fn accumulate(state: State, bits: Bits, index: u32) -> State {
    let pair = factors(bits);
    return State(state.replica, state.flags | put(pair.xy, pair.zw, state.replica));
}
