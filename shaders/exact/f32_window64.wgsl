// f32 behind a window of 32 exponents in one 64-bit integer, which goes to the invocation's bins when an exponent leaves
// the window, or after 128 elements. Needs 64-bit integers in shaders.
//
// Expects: term, what is summed of the bits of an element.

struct State {
    base: u32,   // the exponent at which the window begins
    held: u32,   // elements in it
    window: i64,
    most: i32,    // extremes of the patterns, as in exact/f32_shared.wgsl
    low: u32,
}

fn init_state(id: Invocation) -> State { return State(0u, 0u, 0li, -2147483647i - 1i, 0u); }

fn flush_window(state: State) {
    let size = u64(abs(state.window));
    scatter(vec2<u32>(u32(size & 0xfffffffflu), u32(size >> 32u)), state.base, state.window < 0li, 0u);
}

fn accumulate(state: State, given: Bits, index: u32) -> State {
    let bits = term(given);
    let size = bits & 0x7fffffffu;
    let significand = (bits & 0x7fffffu) | min(size, 0x800000u);
    let exponent = max(size, 0x800000u) >> 23u;
    var all = state;
    if (exponent - all.base > 31u) | (all.held == 128u) {
        flush_window(all);
        all.base = exponent - min(exponent, 24u);
        all.held = 0u;
        all.window = 0li;
    }
    let amount = i64(significand) << (exponent - all.base);
    all.window += select(amount, -amount, bits >> 31u == 1u);
    all.held++;
    all.most = max(all.most, bitcast<i32>(bits));
    all.low = max(all.low, bits);
    return all;
}
