// f32 in an f64 of each invocation, which holds their sum exactly, and from time to time in shared bins. Numbers of a window of
// exponents add up without rounding; where one lies outside, or is not finite, bins take its four.
//
// Expects: term, terms: what is summed of the bits of one element, and of four; WINDOW; next_window, has
// (exact/float64_window.wgsl); largest_of, least_of (exact/float64_sizes.wgsl); amount_of (exact/f32_amount.wgsl); pattern_flags
// (exact/f32_flags.wgsl).

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

// 53 bits as three numbers of 24.
fn put_sum(sum: f64, replica: u32) {
    let first = first_bits(sum);
    let second = first_bits(sum - first);
    put(bitcast<u32>(f32(first)), replica);
    put(bitcast<u32>(f32(second)), replica);
    put(bitcast<u32>(f32((sum - first) - second)), replica);
}

fn flags_of(state: State) -> u32 {
    put_sum(state.sum, state.replica);
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

fn accumulate_vector(state: State, given: vec4<u32>, index: u32) -> State {
    let vector = terms(given);
    var all = state;
    let sizes = vector & vec4<u32>(0x7fffffffu);
    let largest = largest_of(sizes);
    if all.window.room == 0u {
        put_sum(all.sum, all.replica);
        all.sum = f64();
        all.window = next_window(all.window, largest);
    }
    all.window.room--;
    let signed = bitcast<vec4<i32>>(vector);
    all.most = max(all.most, max(max(signed.x, signed.y), max(signed.z, signed.w)));
    if has(all.window, least_of(sizes), largest) {
        let x = bitcast<vec4<f32>>(vector);
        all.sum += (f64(x.x) + f64(x.y)) + (f64(x.z) + f64(x.w));
        return all;
    }
    all.window.apart++;
    put(vector.x, all.replica);
    put(vector.y, all.replica);
    put(vector.z, all.replica);
    put(vector.w, all.replica);
    all.low = max(all.low, max(max(vector.x, vector.y), max(vector.z, vector.w)));
    return all;
}
