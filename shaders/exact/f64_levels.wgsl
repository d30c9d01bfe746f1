// f64 in two sums of each invocation, and from time to time in shared bins; at once where these do not hold a vector.
//
// Expects: term, what is summed of the bits of an element; f64_size (exact/f64_size.wgsl); has
// (exact/float64_window.wgsl); float64_of, words_of, power_of, put_levels, with_room, with_two (exact/float64_levels.wgsl); put
// (exact/f64_put.wgsl); double_flags (exact/f64_flags.wgsl).

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

fn accumulate_vector(state: State, given: vec4<u32>, index: u32) -> State {
    let front = term(given.xy);
    let back = term(given.zw);
    let sizes = vec2<u32>(f64_size(front), f64_size(back));
    let largest = max(sizes.x, sizes.y);
    var all = with_room(state, largest);
    all.others |= front.x | (front.y ^ 0x80000000u) | back.x | (back.y ^ 0x80000000u);
    if has(all.window, min(sizes.x - 1u, sizes.y - 1u), largest) {
        all.sum = with_two(all.sum, float64_of(front), float64_of(back), all.window);
        return all;
    }
    all.window.apart++;
    put(front, all.replica);
    put(back, all.replica);
    if largest >= 0x7ff00000u { all.flags |= double_flags(front) | double_flags(back); }
    return all;
}

fn flags_of(state: State) -> u32 {
    put_levels(state);
    return state.flags | select(0u, FLAG_OTHER, state.others != 0u);
}
