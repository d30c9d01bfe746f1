// f32 whose sum is a value of its own, so that an invocation may hold several and lanes exchange them: a window of 32 exponents in
// 64 bits, what is over in a word above the 48th, and the sum of what has left it.
//
// Expects: term, terms, what is summed of the bits of an element, and of four; exact/accumulator.wgsl; exact/f32_wide.wgsl or
// f32_wide64.wgsl; exact/f32_moved.wgsl.

struct State {
    base: u32,     // the exponent at which the window begins
    held: u32,     // elements in it
    window: Wide,  // their sum
    over: i32,     // what is over of those before, 2^48 times this: at most 2^15 of 255 elements
    most: i32,     // extremes of the patterns, as in exact/f32_shared.wgsl
    low: u32,
    left: array<u32, LIMBS>,
}

fn init_state(id: Invocation) -> State {
    return State(0u, 0u, Wide(), 0i, -2147483647i - 1i, 0u, array<u32, LIMBS>());
}

fn accumulate(state: State, given: Bits, index: u32) -> State {
    let bits = term(given);
    let size = bits & 0x7fffffffu;
    let exponent = max(size, 0x800000u) >> 23u;
    var all = state;
    // Zeros lie in every window.
    let outside = (exponent - all.base > 31u) & (size != 0u);
    if outside | (all.held > 254u) {
        if outside { all = moved_window(all, exponent - min(exponent, 24u)); } else { all = settled(all); }
    }
    all.window = wide_sum(all.window, wide_of(bits, (exponent - all.base) & 31u));
    all.held++;
    all.most = max(all.most, bitcast<i32>(bits));
    all.low = max(all.low, bits);
    return all;
}

// Four neighbours: at once where all of them lie in the window.
fn accumulate_vector(state: State, vector: vec4<u32>, index: u32) -> State {
    let bits = terms(vector);
    let sizes = bits & vec4<u32>(0x7fffffffu);
    var all = state;
    if all.held > 251u { all = settled(all); }
    let lefts = (max(sizes, vec4<u32>(0x800000u)) >> vec4<u32>(23u)) - vec4<u32>(all.base);
    if any((lefts > vec4<u32>(31u)) & (sizes != vec4<u32>())) {
        for (var k = 0u; k < 4u; k++) { all = accumulate(all, vector[k], index + k); }
        return all;
    }
    let at = lefts & vec4<u32>(31u);
    all.window = wide_sum(all.window, wide_sum(wide_of(bits.x, at.x), wide_of(bits.y, at.y)));
    all.window = wide_sum(all.window, wide_sum(wide_of(bits.z, at.z), wide_of(bits.w, at.w)));
    all.held += 4u;
    let most = max(max(bitcast<i32>(bits.x), bitcast<i32>(bits.y)), max(bitcast<i32>(bits.z), bitcast<i32>(bits.w)));
    all.most = max(all.most, most);
    all.low = max(all.low, max(max(bits.x, bits.y), max(bits.z, bits.w)));
    return all;
}
