// The window of exact/f32_values.wgsl: in words of the sum, moved elsewhere, and settled so that it has room for more. A line that
// ends in `for K` is repeated for each K.
//
// Expects: State, flags_of; limb_sum, widened, add96 (exact/accumulator.wgsl); exact/f32_wide.wgsl or f32_wide64.wgsl.

// The window in words of the sum, from that of its base on: four words, of which the last has the sign.
fn placed_window(window: vec2<u32>, over: i32, shift: u32) -> vec4<u32> {
    let all = add96(widened(window), vec3<u32>(0u, bitcast<u32>(over) << 16u, bitcast<u32>(over >> 16u)));
    let below = (vec3<u32>(0u, all.xy) >> vec3<u32>(1u)) >> vec3<u32>(31u - shift);
    return vec4<u32>((all << vec3<u32>(shift)) | below, bitcast<u32>((bitcast<i32>(all.z) >> 1u) >> (31u - shift)));
}

// A word of it, counted from its lowest; the sign above them, nothing below.
fn word_of_window(words: vec4<u32>, place: u32) -> u32 {
    let low = select(select(words.z, words.y, place == 1u), words.x, place == 0u);
    let high = select(bitcast<u32>(bitcast<i32>(words.w) >> 31u), words.w, place == 3u);
    return select(select(high, low, place < 3u), 0u, place > LIMBS);
}

// All of a state's elements.
fn sum_of(state: State) -> array<u32, LIMBS> {
    let window = placed_window(wide_words(state.window), state.over, state.base % 32u);
    let place = state.base / 32u;
    var sum = state.left;
    var next = vec2<u32>();
    next = limb_sum(sum[K], word_of_window(window, K - place), next.y); sum[K] = next.x;  // for K in 0..LIMBS
    return sum;
}

fn to_acc(state: State, id: Invocation) -> Acc { return Acc(flags_of(state), sum_of(state)); }

// The same with an empty window, which begins elsewhere.
fn moved_window(state: State, base: u32) -> State {
    var all = state;
    if all.held != 0u { all.left = sum_of(all); }
    all.base = base;
    all.held = 0u;
    all.window = Wide();
    all.over = 0i;
    return all;
}

// The same with room for other 254 elements: what is left in the window is less than one.
fn settled(state: State) -> State {
    let words = wide_words(state.window);
    var all = state;
    all.held = 1u;
    all.window = wide_of_words(vec2<u32>(words.x, words.y & 0xffffu));
    all.over += bitcast<i32>(words.y) >> 16u;
    return all;
}
