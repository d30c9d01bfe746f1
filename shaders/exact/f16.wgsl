// f16: every value lies within 41 bits, so that one 64-bit integer in two words holds the sum of an invocation.
// In the accumulator's units of 2^-56 it stands one limb up.
//
// Expects: term, what is summed of the bits of an element.

struct State {
    sum: vec2<u32>,  // in units of 2^-24
    flags: u32,
}

fn init_state(id: Invocation) -> State { return State(vec2<u32>(), 0u); }

fn accumulate(state: State, given: Bits, index: u32) -> State {
    let bits = term(given);
    let size = bits & 0x7fffu;
    let significand = (bits & 0x3ffu) | min(size & 0x7c00u, 0x400u);
    let left = max(size >> 10u, 1u) - 1u;
    let amount = vec2<u32>(significand << left, (significand >> 1u) >> (31u - left));
    let sign = vec2<u32>(0u - (bits >> 15u));
    let negated = add64(amount ^ sign, vec2<u32>(bits >> 15u, 0u));
    let negative = bits >> 15u == 1u;
    let flags = select(0u, FLAG_NAN, size > 0x7c00u)
        | select(0u, select(FLAG_PLUS, FLAG_MINUS, negative), size == 0x7c00u)
        | select(0u, FLAG_OTHER, bits != 0x8000u);
    return State(add64(state.sum, negated), state.flags | flags);
}

fn to_acc(state: State, id: Invocation) -> Acc {
    let above = bitcast<u32>(bitcast<i32>(state.sum.y) >> 31u);
    return Acc(state.flags, array<u32, 4>(0u, state.sum.x, state.sum.y, above));
}
