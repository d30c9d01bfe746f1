// Products of f32 into shared bins: their sign and the upper six bits of the sum of their exponents choose the place, the
// lower three shift the product within it. No branch but where a counter carries or an element is not finite.
//
// Expects: factors, those of two pairs; significand_of (exact/f32_amount.wgsl), product_of (exact/multiply*.wgsl), product_flags,
// add_two (exact/linked.wgsl).

struct State {
    replica: u32,
    flags: u32,
    sizes: u32,  // not 0 if a product is not 0
    signs: u32,  // the first bit is set while all products are negative
}

fn init_state(id: Invocation) -> State { return State(replica_of(id), 0u, 0u, 0xffffffffu); }

// Adds a product, of at most 55 bits; returns 0 if it is 0.
fn put(a: u32, b: u32, replica: u32) -> u32 {
    let exponent = ((a >> 23u) & 255u) + ((b >> 23u) & 255u);
    let product = product_of(significand_of(a) << (exponent & 7u), significand_of(b));
    add_two((exponent >> 3u) | (((a ^ b) >> 25u) & PLACES), replica, product.x, product.y);
    return product.x | product.y;
}

fn accumulate(state: State, given: Bits, index: u32) -> State {
    let bits = factors(given.xyxy).xy;
    let size = put(bits.x, bits.y, state.replica);
    return State(state.replica, state.flags | product_flags(bits.x, bits.y), state.sizes | size, state.signs & (bits.x ^ bits.y));
}

fn accumulate_vector(state: State, given: vec4<u32>, index: u32) -> State {
    let vector = factors(given);
    let size = put(vector.x, vector.y, state.replica) | put(vector.z, vector.w, state.replica);
    var flags = state.flags;
    let sizes = vector & vec4<u32>(0x7fffffffu);
    if max(max(sizes.x, sizes.y), max(sizes.z, sizes.w)) >= 0x7f800000u {
        flags |= product_flags(vector.x, vector.y) | product_flags(vector.z, vector.w);
    }
    return State(state.replica, flags, state.sizes | size, state.signs & (vector.x ^ vector.y) & (vector.z ^ vector.w));
}

fn flags_of(state: State) -> u32 {
    return state.flags | select(FLAG_OTHER, 0u, (state.sizes == 0u) & (state.signs >> 31u == 1u));
}
