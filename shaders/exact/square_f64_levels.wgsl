// Squares of f64 in four sums of each invocation, and from time to time in shared bins; at once where these do not hold a vector.
// A square is an f64 and what its rounding leaves, which is another (Dekker, 1971); each has two levels.
//
// Expects: float64_of, power_of, with_two, opaque (exact/float64_levels.wgsl); upper_of (exact/upper_f64.wgsl); put
// (exact/square_f64_put.wgsl); State (exact/two_levels.wgsl).

const WINDOW = 20u;      // of the roots: what the roundings of 128 squares leave fits 53 bits
const ABOVE = 5u;        // of the first vector's
const LEAST_TOP = 600u;  // no part of a square is subnormal
const MOST_TOP = 1500u;

// 128 squares below that of the top are less; what the rounding of each leaves is 2^54 times less, and has a sign.
fn start_of(state: State) -> f64 { return power_of(2u * (state.window.top >> FIELD) - 1016u); }
fn start_of_rest(state: State) -> f64 { return power_of(2u * (state.window.top >> FIELD) - 1068u); }

fn accumulate(state: State, bits: Bits, index: u32) -> State {
    var all = state;
    all.flags |= put(bits, all.replica);
    return all;
}

// What the rounding of a square leaves. The upper 26 bits of the root, rounded, and the lower ones multiply without.
fn rest_of(bits: vec2<u32>, square: f64) -> f64 {
    let upper = upper_of(bits);
    let lower = float64_of(bits) - upper;
    return ((upper * upper - square) + (upper + upper) * lower) + lower * lower;
}

fn with_noted(state: State, vector: vec4<u32>) -> State {
    var all = state;
    all.flags |= FLAG_OTHER;
    return all;
}

fn with_inside(state: State, vector: vec4<u32>) -> State {
    var all = state;
    let zero = all.window.top & 1u;
    let front = opaque(float64_of(vector.xy) * float64_of(vector.xy), zero);
    let back = opaque(float64_of(vector.zw) * float64_of(vector.zw), zero);
    all.sum = with_two(all.sum, front, back, all.window);
    all.rest = with_two(all.rest, rest_of(vector.xy, front), rest_of(vector.zw, back), all.window);
    return all;
}

fn with_outside(state: State, vector: vec4<u32>, sizes: vec2<u32>) -> State {
    var all = state;
    all.flags |= put(vector.xy, all.replica) | put(vector.zw, all.replica);
    return all;
}
