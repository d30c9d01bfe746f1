// Squares of f32, which an f64 holds, in two sums of each invocation, and from time to time in shared bins; at once where these do
// not hold a vector.
//
// Expects: Window, no_window (exact/float64_window.wgsl); Levels, power_of, with_two (exact/float64_levels.wgsl); put_number
// (exact/product_number.wgsl); put, square_flags (exact/square_put.wgsl); put_held (exact/float64_levels.wgsl).

const WINDOW = 22u;     // of the roots
const ABOVE = 5u;       // of the first vector's
const LEAST_TOP = 48u;  // no part of a sum has its last place below 2^-248
const MOST_TOP = 242u;

struct State {
    replica: u32,
    most: u32,  // as in exact/square_shared.wgsl, of what went to the bins
    flags: u32,
    window: Window,
    sum: Levels,
}

fn init_state(id: Invocation) -> State { return State(replica_of(id), 0u, 0u, no_window(), Levels()); }

// 256 squares below that of the top are less.
fn start_of(state: State) -> f64 { return power_of(2u * (state.window.top >> FIELD) + 777u); }

// The bins have no sign: where low is negative, high lends it some of its last places.
fn put_sums(state: State) {
    let place = power_of(2u * (state.window.top >> FIELD) + 725u);
    let low = state.sum.low;
    var lent = f64();
    if low < f64() {
        // By its reciprocal, which is exact: compilers take long over quotients.
        lent = place * f64(u32(-low * power_of(1321u - 2u * (state.window.top >> FIELD))));
        if low + lent < f64() { lent += place; }
    }
    put_number(state.sum.high - start_of(state) - lent, state.replica);
    put_number(low + lent, state.replica);
}

fn accumulate(state: State, bits: Bits, index: u32) -> State {
    var all = state;
    all.most = max(all.most, put(bits, all.replica));
    all.flags = FLAG_OTHER;
    return all;
}

fn square(bits: u32) -> f64 {
    let x = f64(bitcast<f32>(bits));
    return x * x;
}

fn with_noted(state: State, vector: vec4<u32>) -> State {
    var all = state;
    all.flags = FLAG_OTHER;
    return all;
}

fn with_inside(state: State, vector: vec4<u32>) -> State {
    var all = state;
    let front = with_two(all.sum, square(vector.x), square(vector.y), all.window);
    all.sum = with_two(front, square(vector.z), square(vector.w), all.window);
    return all;
}

fn with_outside(state: State, vector: vec4<u32>, sizes: vec2<u32>) -> State {
    var all = state;
    let front = max(put(vector.x, all.replica), put(vector.y, all.replica));
    let back = max(put(vector.z, all.replica), put(vector.w, all.replica));
    all.most = max(all.most, max(front, back));
    return all;
}

fn flags_of(state: State) -> u32 {
    put_held(state);
    return square_flags(state.most, state.flags);
}
