// Products of two f64 in four sums of each invocation, and from time to time in shared bins; at once where these do not hold one.
// A product is an f64 and what its rounding leaves, which is another; each has two levels, as squares have them.
//
// Expects: factors, those of an element; f64_size (exact/f64_size.wgsl); float64_of, words_of, power_of, with_one, opaque
// (exact/float64_levels.wgsl); rest_of (exact/product_f64_rest.wgsl); put, product_flags (exact/product_f64_put.wgsl); State
// (exact/two_levels.wgsl).

const WINDOW = 38u;        // of the products: what the roundings of 128 leave fits 53 bits
const ABOVE = 9u;          // of the first one's
const LEAST_TOP = 144u;    // no part of a product is subnormal: WINDOW + 106
const MOST_TOP = 2020u;
const LEAST = 64u << 20u;  // of either number: its halves are not subnormal,
const MOST = 2000u << 20u; // and no number that is rounded up is infinite

// Twice 128 products below the top are less; what the rounding of each leaves is 2^54 times less.
fn start_of(state: State) -> f64 { return power_of((state.window.top >> FIELD) + 8u); }
fn start_of_rest(state: State) -> f64 { return power_of((state.window.top >> FIELD) - 45u); }

fn rounded_product(vector: vec4<u32>) -> f64 { return float64_of(vector.xy) * float64_of(vector.zw); }

// The size of a product: 0 where it is 0, and 1, which no window has, where one of its numbers is none for this.
fn product_size(vector: vec4<u32>) -> u32 {
    let sizes = vec2<u32>(f64_size(vector.xy), f64_size(vector.zw));
    let apart = (max(sizes.x, sizes.y) >= MOST) | (min(sizes.x - 1u, sizes.y - 1u) < LEAST);
    // What is too little for an f64 is not 0.
    let size = select(max(f64_size(words_of(rounded_product(vector))), 1u), 0u, min(sizes.x, sizes.y) == 0u);
    return select(size, 1u, apart);
}

fn largest_size(given: vec4<u32>) -> u32 { return product_size(factors(given)); }

// Of one number the least size is the largest.
fn least_size(given: vec4<u32>, largest: u32) -> u32 { return largest - 1u; }

fn accumulate(state: State, bits: Bits, index: u32) -> State {
    let pair = factors(bits);
    var all = state;
    all.flags |= put(pair.xy, pair.zw, all.replica);
    return all;
}

// What is kept of a product depends on where it goes.
fn with_noted(state: State, given: vec4<u32>) -> State { return state; }

fn with_inside(state: State, given: vec4<u32>) -> State {
    let vector = factors(given);
    let rounded = opaque(rounded_product(vector), state.window.top & 1u);
    var all = state;
    all.flags |= product_flags(vector.xy, vector.zw);
    all.sum = with_one(all.sum, rounded, all.window);
    all.rest = with_one(all.rest, rest_of(vector.xy, vector.zw, rounded), all.window);
    return all;
}

fn with_outside(state: State, given: vec4<u32>, sizes: vec2<u32>) -> State {
    let vector = factors(given);
    var all = state;
    all.flags |= put(vector.xy, vector.zw, all.replica);
    return all;
}
