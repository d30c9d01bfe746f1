// f32 in an f64 of each invocation, which holds their sum exactly, and from time to time in shared bins. Numbers of a window of
// exponents add up without rounding; where one lies outside, or is not finite, bins take its four.
//
// Expects: term, terms: what is summed of the bits of one element, and of four; WINDOW; Window, no_window
// (exact/float64_window.wgsl); amount_of (exact/f32_amount.wgsl); pattern_flags (exact/f32_flags.wgsl).

const LEAST_TOP = WINDOW + 24u;  // the parts of a sum are normal numbers
const MOST_TOP = 242u;

struct State {
    replica: u32,
    most: i32,  // as in exact/f32_shared.wgsl
    low: u32,   // the same of what went to the bins: that is where infinities and NaN go
    window: Window,
    sum: f64,
}

fn init_state(id: Invocation) -> State { return State(replica_of(id), -2147483647i - 1i, 0u, no_window(), f64()); }

fn put(bits: u32, replica: u32) { bin_add(bits >> 26u, replica, amount_of(bits)); }

// The first 24 bits of an f64, which an f32 holds: a compiler may leave out the rounding of more on their way there and back, as
// that of Mesa 25 does.
fn first_bits(x: f64) -> f64 { return bitcast<f64>(bitcast<u64>(x) & 0xffffffffe0000000lu); }

fn started(state: State) -> State {
    var all = state;
    all.sum = f64();
    return all;
}

// 53 bits as three numbers of 24.
fn put_held(state: State) {
    let first = first_bits(state.sum);
    let second = first_bits(state.sum - first);
    put(bitcast<u32>(f32(first)), state.replica);
    put(bitcast<u32>(f32(second)), state.replica);
    put(bitcast<u32>(f32((state.sum - first) - second)), state.replica);
}

fn flags_of(state: State) -> u32 {
    put_held(state);
    return pattern_flags(state.most, state.low);
}

fn accumulate(state: State, given: Bits, index: u32) -> State {
    let bits = term(given);
    put(bits, state.replica);
    var all = state;
    all.most = max(all.most, bitcast<i32>(bits));
    all.low = max(all.low, bits);
    return all;
}

fn with_noted(state: State, given: vec4<u32>) -> State {
    let signed = bitcast<vec4<i32>>(terms(given));
    var all = state;
    all.most = max(all.most, max(max(signed.x, signed.y), max(signed.z, signed.w)));
    return all;
}

fn with_inside(state: State, given: vec4<u32>) -> State {
    let x = bitcast<vec4<f32>>(terms(given));
    var all = state;
    all.sum += (f64(x.x) + f64(x.y)) + (f64(x.z) + f64(x.w));
    return all;
}

fn with_outside(state: State, given: vec4<u32>, sizes: vec2<u32>) -> State {
    let vector = terms(given);
    var all = state;
    put(vector.x, all.replica);
    put(vector.y, all.replica);
    put(vector.z, all.replica);
    put(vector.w, all.replica);
    all.low = max(all.low, max(max(vector.x, vector.y), max(vector.z, vector.w)));
    return all;
}
