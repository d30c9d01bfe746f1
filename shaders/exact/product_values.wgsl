// Products of two f32 whose sum is a value of its own, as that of exact/f32_values.wgsl: a window in which products begin at one
// of 64 places, and the sum of what has left it. A line that ends in `for K` is repeated for each K.
//
// Expects: Window, window_with, window_words (exact/product_window.wgsl or product_window64.wgsl); product_of
// (exact/multiply*.wgsl), product_flags (exact/product_flags.wgsl), limb_sum (exact/accumulator.wgsl).

struct State {
    base: u32,       // the place at which the window begins
    held: u32,       // products in it, at most 2^14
    window: Window,  // their sum
    flags: u32,
    left: array<u32, LIMBS>,
}

fn init_state(id: Invocation) -> State { return State(0u, 0u, Window(), 0u, array<u32, LIMBS>()); }
fn flags_of(state: State) -> u32 { return state.flags; }
fn to_acc(state: State, id: Invocation) -> Acc { return Acc(state.flags, sum_of(state)); }

// A word of the window in words of the sum, counted from that of its base; the sign above them, nothing below.
fn word_of_window(window: vec4<u32>, shift: u32, place: u32) -> u32 {
    let low = (window << vec4<u32>(shift)) | ((vec4<u32>(0u, window.xyz) >> vec4<u32>(1u)) >> vec4<u32>(31u - shift));
    let high = bitcast<u32>((bitcast<i32>(window.w) >> 1u) >> (31u - shift));
    let sign = bitcast<u32>(bitcast<i32>(window.w) >> 31u);
    let front = select(low.y, low.x, place == 0u);
    let back = select(select(select(sign, high, place == 4u), low.w, place == 3u), low.z, place == 2u);
    return select(select(back, front, place < 2u), 0u, place > LIMBS);
}

// All of a state's products.
fn sum_of(state: State) -> array<u32, LIMBS> {
    let window = window_words(state.window);
    let place = state.base / 32u;
    let shift = state.base % 32u;
    var sum = state.left;
    var next = vec2<u32>();
    next = limb_sum(sum[K], word_of_window(window, shift, K - place), next.y); sum[K] = next.x;  // for K in 0..LIMBS
    return sum;
}

// So many places up: at most 63.
fn shifted(product: vec2<u32>, up: u32) -> vec4<u32> {
    let shift = up % 32u;
    let below = (product >> vec2<u32>(1u)) >> vec2<u32>(31u - shift);
    let words = vec3<u32>(product.x << shift, (product.y << shift) | below.x, below.y);
    return select(vec4<u32>(words, 0u), vec4<u32>(0u, words), up > 31u);
}

fn accumulate_product(state: State, a: u32, b: u32) -> State {
    let sizes = vec2<u32>(a, b) & vec2<u32>(0x7fffffffu);
    let significands = (vec2<u32>(a, b) & vec2<u32>(0x7fffffu)) | min(sizes, vec2<u32>(0x800000u));
    let exponents = max(sizes, vec2<u32>(0x800000u)) >> vec2<u32>(23u);
    let product = product_of(significands.x, significands.y);
    let at = exponents.x + exponents.y;
    var all = state;
    // Zeros lie in every window.
    let outside = (at - all.base > 63u) & ((product.x | product.y) != 0u);
    if outside | (all.held >> 14u != 0u) {
        if all.held != 0u { all.left = sum_of(all); }
        all.base = select(all.base, at - min(at, 48u), outside);
        all.held = 0u;
        all.window = Window();
    }
    all.window = window_with(all.window, product, (at - all.base) & 63u, select(0u, 0xffffffffu, (a ^ b) >> 31u == 1u));
    all.held++;
    all.flags |= product_flags(a, b);
    return all;
}
