// Sums of f64, as two words, in four counters of each invocation that belong to neighbouring limbs, and in memory of its own only
// where an element lies elsewhere. A counter takes 32 bits of each element and has 64, with a sign.
//
// Expects: term, what is summed of the bits of an element; double_flags (exact/f64_flags.wgsl); put_window
// (exact/own_limbs.wgsl); narrow_LIMBS (exact/narrow.wgsl).

// From the last bit of an element to that of the first counter, at most: so that the last one takes 2^32 elements.
const PLACE_MAX = 73u;

struct State {
    flags: u32,
    base: u32,  // the limb of the first counter
    low: vec4<u32>,
    high: vec4<u32>,
}

fn init_state(id: Invocation) -> State { return State(); }

// The counters begin anew, so that 20 exponents below this one, and 22 above it, have a place.
fn moved(state: State, at: u32) -> State {
    put_window(state);
    let base = min((max(at, 20u) - 20u) / 32u, LIMBS - narrow_LIMBS);
    return State(state.flags, base, vec4<u32>(), vec4<u32>());
}

fn accumulate(state: State, given: Bits, index: u32) -> State {
    let bits = term(given);
    let size = bits.y & 0x7fffffffu;
    let at = max(size >> 20u, 1u);  // of the last bit, from the unit; that of subnormals counts as 1
    var all = state;
    all.flags |= double_flags(bits);
    // A zero lies anywhere.
    if (at - 32u * all.base > PLACE_MAX) & ((size | bits.x) != 0u) { all = moved(all, at); }
    // 53 bits with the leading one, which subnormals lack, and a sign: in two words, then in three.
    let high = (bits.y & 0xfffffu) | min(size & 0x7ff00000u, 0x100000u);
    let sign = bitcast<u32>(bitcast<i32>(bits.y) >> 31u);
    let significand = add64(vec2<u32>(bits.x, high) ^ vec2<u32>(sign), vec2<u32>(sign & 1u, 0u));
    let left = at & 31u;
    let right = 31u - left;
    let last = significand.x << left;
    let middle = (significand.y << left) | ((significand.x >> 1u) >> right);
    let first = bitcast<u32>((bitcast<i32>(significand.y) >> 1u) >> right);
    let below = bitcast<u32>(bitcast<i32>(first) >> 31u);
    let limb = at / 32u - all.base;
    let lower = select(vec4<u32>(last, middle, first, 0u), vec4<u32>(0u, last, middle, first), limb == 1u);
    let signs = select(vec4<u32>(0u, 0u, below, 0u), vec4<u32>(0u, 0u, 0u, below), limb == 1u);
    let amounts = select(lower, vec4<u32>(0u, 0u, last, middle), limb > 1u);
    all.low += amounts;
    all.high += select(signs, vec4<u32>(0u, 0u, 0u, first), limb > 1u) + select(vec4<u32>(), vec4<u32>(1u), all.low < amounts);
    return all;
}
