// f32 behind a window of 32 exponents in registers, which goes to the invocation's bins when an exponent leaves the window, or
// after 255 elements.
//
// Expects: term, what is summed of the bits of an element; exact/f32_wide.wgsl or f32_wide64.wgsl.

struct State {
    base: u32,     // the exponent at which the window begins
    held: u32,     // elements in it
    window: Wide,  // their sum
    most: i32,     // extremes of the patterns, as in exact/f32_shared.wgsl
    low: u32,
}

fn init_state(id: Invocation) -> State { return State(0u, 0u, Wide(), -2147483647i - 1i, 0u); }

fn flush_window(state: State) {
    let words = wide_words(state.window);
    let negative = words.y >> 31u == 1u;
    let less = select(0u, 1u, words.x != 0u);
    scatter(select(words, vec2<u32>(0u - words.x, 0u - words.y - less), negative), state.base, negative, 0u);
}

fn accumulate(state: State, given: Bits, index: u32) -> State {
    let bits = term(given);
    let exponent = max(bits & 0x7fffffffu, 0x800000u) >> 23u;
    var all = state;
    if (exponent - all.base > 31u) | (all.held == 255u) {
        flush_window(all);
        all.base = exponent - min(exponent, 24u);
        all.held = 0u;
        all.window = Wide();
    }
    all.window = wide_sum(all.window, wide_of(bits, exponent - all.base));
    all.held++;
    all.most = max(all.most, bitcast<i32>(bits));
    all.low = max(all.low, bits);
    return all;
}
