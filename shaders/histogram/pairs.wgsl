// Every pair adds to the counter of its two bins, those of y next to each other; behind the bins come OUTSIDE and, last, NaN.
//
// Expects: x_bins_of, x_INSIDE, y_bins_of, y_INSIDE (histogram/of_all.wgsl, once for each axis); bin_add, replica_of
// (bins/flat.wgsl and bins/counters.wgsl, or bins/memory.wgsl).

const OUTSIDE = x_INSIDE * y_INSIDE;  // the counter of pairs with a number outside of its range, none of them NaN

struct State { replica: u32 }

fn init_state(id: Invocation) -> State { return State(replica_of(id)); }
fn flags_of(state: State) -> u32 { return 0u; }

fn count_pair(state: State, x: u32, y: u32) {
    var slot = select(OUTSIDE, x * y_INSIDE + y, (x < x_INSIDE) & (y < y_INSIDE));
    slot = select(slot, OUTSIDE + 1u, (x == x_INSIDE + 2u) | (y == y_INSIDE + 2u));
    bin_add(slot, state.replica, 1u);
}

fn accumulate(state: State, bits: Bits, index: u32) -> State {
    count_pair(state, x_bins_of(bits.xxxx).x, y_bins_of(bits.yyyy).x);
    return state;
}

fn accumulate_vector(state: State, vector: vec4<u32>, index: u32) -> State {
    let x = x_bins_of(vector.xzxz);
    let y = y_bins_of(vector.ywyw);
    count_pair(state, x.x, y.x);
    count_pair(state, x.y, y.y);
    return state;
}
