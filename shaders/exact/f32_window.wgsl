// f32 behind a window of 32 exponents in registers: three signed words of 20-bit slices, which go to the invocation's
// bins when an exponent leaves the window, or after 1024 elements.
//
// Expects: term, what is summed of the bits of an element; exact/f32_slices.wgsl.

struct State {
    base: u32,          // the exponent at which the window begins
    held: u32,          // elements in it
    slices: vec3<i32>,  // sums of bits 0..20, 20..40, 40..60 above the base
    most: i32,           // extremes of the patterns, as in exact/f32_shared.wgsl
    low: u32,
}

fn init_state(id: Invocation) -> State { return State(0u, 0u, vec3<i32>(), -2147483647i - 1i, 0u); }

fn flush_window(state: State) {
    for (var s = 0u; s < 3u; s++) {
        let slices = state.slices;
        scatter(vec2<u32>(bitcast<u32>(abs(slices[s])), 0u), state.base + 20u * s, slices[s] < 0i, 0u);
    }
}

fn accumulate(state: State, given: Bits, index: u32) -> State {
    let bits = term(given);
    let size = bits & 0x7fffffffu;
    let significand = (bits & 0x7fffffu) | min(size, 0x800000u);
    let exponent = max(size, 0x800000u) >> 23u;
    var all = state;
    if (exponent - all.base > 31u) | (all.held == 1024u) {
        flush_window(all);
        all.base = exponent - min(exponent, 24u);
        all.held = 0u;
        all.slices = vec3<i32>();
    }
    all.slices += sliced(significand, exponent - all.base, bits);
    all.held++;
    all.most = max(all.most, bitcast<i32>(bits));
    all.low = max(all.low, bits);
    return all;
}
