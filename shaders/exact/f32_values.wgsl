// f32 whose sum is a value of its own, so that an invocation may hold several and lanes exchange them: a window of 32 exponents in
// three signed words of 20-bit slices, and the sum of what has left it. A line that ends in `for K` is repeated for each K.
//
// Expects: term, terms, what is summed of the bits of an element, and of four; exact/accumulator.wgsl,
// f32_slices.wgsl.

struct State {
    base: u32,           // the exponent at which the window begins
    held: u32,           // elements in it
    slices: vec3<i32>,   // sums of bits 0..20, 20..40, 40..60 above the base
    most: i32,           // extremes of the patterns, as in exact/f32_shared.wgsl
    low: u32,
    left: array<u32, LIMBS>,
}

fn init_state(id: Invocation) -> State {
    return State(0u, 0u, vec3<i32>(), -2147483647i - 1i, 0u, array<u32, LIMBS>());
}

// All of a state's elements.
fn sum_of(state: State) -> array<u32, LIMBS> {
    let window = placed_window(state.slices, state.base % 32u);
    let place = state.base / 32u;
    var sum = state.left;
    var next = vec2<u32>();
    next = limb_sum(sum[K], word_of_window(window, K - place), next.y); sum[K] = next.x;  // for K in 0..LIMBS
    return sum;
}

fn to_acc(state: State, id: Invocation) -> Acc { return Acc(flags_of(state), sum_of(state)); }

fn accumulate(state: State, given: Bits, index: u32) -> State {
    let bits = term(given);
    let size = bits & 0x7fffffffu;
    let exponent = max(size, 0x800000u) >> 23u;
    var all = state;
    // Zeros lie in every window.
    if ((exponent - all.base > 31u) & (size != 0u)) | (all.held >= 1024u) {
        if all.held != 0u { all.left = sum_of(all); }
        all.base = exponent - min(exponent, 24u);
        all.held = 0u;
        all.slices = vec3<i32>();
    }
    all.slices += sliced((bits & 0x7fffffu) | min(size, 0x800000u), (exponent - all.base) & 31u, bits);
    all.held++;
    all.most = max(all.most, bitcast<i32>(bits));
    all.low = max(all.low, bits);
    return all;
}

// Four neighbours: at once where all of them lie in the window.
fn accumulate_vector(state: State, vector: vec4<u32>, index: u32) -> State {
    let bits = terms(vector);
    let sizes = bits & vec4<u32>(0x7fffffffu);
    let lefts = (max(sizes, vec4<u32>(0x800000u)) >> vec4<u32>(23u)) - vec4<u32>(state.base);
    var all = state;
    if any((lefts > vec4<u32>(31u)) & (sizes != vec4<u32>())) | (all.held > 1020u) {
        for (var k = 0u; k < 4u; k++) { all = accumulate(all, vector[k], index + k); }
        return all;
    }
    let significands = (bits & vec4<u32>(0x7fffffu)) | min(sizes, vec4<u32>(0x800000u));
    let at = lefts & vec4<u32>(31u);
    all.slices += sliced(significands.x, at.x, bits.x) + sliced(significands.y, at.y, bits.y);
    all.slices += sliced(significands.z, at.z, bits.z) + sliced(significands.w, at.w, bits.w);
    all.held += 4u;
    let most = max(max(bitcast<i32>(bits.x), bitcast<i32>(bits.y)), max(bitcast<i32>(bits.z), bitcast<i32>(bits.w)));
    all.most = max(all.most, most);
    all.low = max(all.low, max(max(bits.x, bits.y), max(bits.z, bits.w)));
    return all;
}
