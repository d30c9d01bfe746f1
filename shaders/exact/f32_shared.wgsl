// f32 into shared bins: the sign and the upper five bits of the exponent choose the bin, the lower three shift the
// significand within it (exact/f32_amount.wgsl). No branch, and the cost does not depend on the data.
//
// Expects: term, terms: what is summed of the bits of one element, and of four.

struct State {
    replica: u32,
    most: i32,  // the largest pattern as i32: above 0x7f800000 for a NaN, equal for +inf, the least of all for -0 only
    low: u32,  // the largest pattern as u32: above 0xff800000 for a NaN, equal for -inf
}

fn init_state(id: Invocation) -> State { return State(replica_of(id), -2147483647i - 1i, 0u); }

fn put(bits: u32, replica: u32) { bin_add(bits >> 26u, replica, amount_of(bits)); }

fn accumulate(state: State, given: Bits, index: u32) -> State {
    let bits = term(given);
    put(bits, state.replica);
    return State(state.replica, max(state.most, bitcast<i32>(bits)), max(state.low, bits));
}

fn accumulate_vector(state: State, given: vec4<u32>, index: u32) -> State {
    let vector = terms(given);
    let signed = bitcast<vec4<i32>>(vector);
    let most = max(max(signed.x, signed.y), max(signed.z, signed.w));
    let low = max(max(vector.x, vector.y), max(vector.z, vector.w));
    put(vector.x, state.replica);
    put(vector.y, state.replica);
    put(vector.z, state.replica);
    put(vector.w, state.replica);
    return State(state.replica, max(state.most, most), max(state.low, low));
}
