// f64 in two sums of each invocation, and from time to time in shared bins; at once where these do not hold a vector.
//
// Expects: term, what is summed of the bits of an element; Window, no_window (exact/float64_window.wgsl); float64_of, words_of,
// power_of, with_two, put_held (exact/float64_levels.wgsl); put (exact/f64_put.wgsl); double_flags (exact/f64_flags.wgsl).

const WINDOW = 39u;     // what the roundings of 128 of its numbers leave fits 53 bits
const ABOVE = 9u;       // of the first vector's
const LEAST_TOP = 92u;  // no part of a sum is subnormal
const MOST_TOP = 2037u;

struct State {
    replica: u32,
    flags: u32,
    others: u32,  // as in exact/f64_shared.wgsl
    window: Window,
    sum: Levels,
}

fn init_state(id: Invocation) -> State { return State(replica_of(id), 0u, 0u, no_window(), Levels()); }

// Twice 128 numbers below the top are less.
fn start_of(state: State) -> f64 { return power_of((state.window.top >> FIELD) + 8u); }

fn put_sums(state: State) {
    put(words_of(state.sum.high - start_of(state)), state.replica);
    put(words_of(state.sum.low), state.replica);
}

fn accumulate(state: State, given: Bits, index: u32) -> State {
    let bits = term(given);
    var all = state;
    all.flags |= double_flags(bits);
    all.others |= put(bits, state.replica);
    return all;
}

fn with_noted(state: State, given: vec4<u32>) -> State {
    let front = term(given.xy);
    let back = term(given.zw);
    var all = state;
    all.others |= front.x | (front.y ^ 0x80000000u) | back.x | (back.y ^ 0x80000000u);
    return all;
}

fn with_inside(state: State, given: vec4<u32>) -> State {
    let front = term(given.xy);
    let back = term(given.zw);
    var all = state;
    all.sum = with_two(all.sum, float64_of(front), float64_of(back), all.window);
    return all;
}

fn with_outside(state: State, given: vec4<u32>, sizes: vec2<u32>) -> State {
    let front = term(given.xy);
    let back = term(given.zw);
    var all = state;
    put(front, all.replica);
    put(back, all.replica);
    if sizes.y >= 0x7ff00000u { all.flags |= double_flags(front) | double_flags(back); }
    return all;
}

fn flags_of(state: State) -> u32 {
    put_held(state);
    return state.flags | select(0u, FLAG_OTHER, state.others != 0u);
}
