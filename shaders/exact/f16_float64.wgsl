// f16 in an f64 of each invocation that begins at a power of two and a half: its last place is the least f16, so that sums of
// 2048 of them are exact, and its bits, less those that it began with, are the sum as an integer. In the
// accumulator's units of 2^-56 that stands one limb up.
//
// Expects: term, terms: what is summed of the bits of one element, and of two in each word; special, specials, others
// (exact/f16_flags.wgsl).

const BEGIN = 0x41b80000u;  // the upper word of 1.5 * 2^28
const VECTORS = 256u;       // that a sum takes

struct State {
    sum: f64,
    whole: u64,  // what earlier sums were, in units of 2^-24
    room: u32,   // vectors that the sum still takes
    flags: u32,
    others: u32,
}

fn begin() -> f64 { return bitcast<f64>(u64(BEGIN) << 32u); }

fn init_state(id: Invocation) -> State { return State(begin(), u64(), VECTORS, 0u, 0u); }

fn whole_of(state: State) -> u64 { return state.whole + (bitcast<u64>(state.sum) - (u64(BEGIN) << 32u)); }

fn both(word: u32) -> f64 {
    let x = unpack2x16float(word);
    return f64(x.x) + f64(x.y);
}

// With the sum of eight at most.
fn with_sum(state: State, sum: f64) -> State {
    var all = state;
    if all.room == 0u {
        all.whole = whole_of(all);
        all.sum = begin();
        all.room = VECTORS;
    }
    all.room--;
    all.sum += sum;
    return all;
}

fn accumulate(state: State, given: Bits, index: u32) -> State {
    let bits = term(given);
    var all = with_sum(state, both(bits));
    all.flags |= special(bits);
    all.others |= bits ^ 0x8000u;
    return all;
}

fn accumulate_vector(state: State, given: vec4<u32>, index: u32) -> State {
    let vector = terms(given);
    var all = with_sum(state, (both(vector.x) + both(vector.y)) + (both(vector.z) + both(vector.w)));
    all.flags |= specials(vector);
    all.others |= others(vector);
    return all;
}

fn to_acc(state: State, id: Invocation) -> Acc {
    let whole = whole_of(state);
    let low = u32(whole & u64(0xffffffffu));
    let high = u32(whole >> 32u);
    let above = bitcast<u32>(bitcast<i32>(high) >> 31u);
    return Acc(state.flags | select(0u, FLAG_OTHER, state.others != 0u), array<u32, 4>(0u, low, high, above));
}
