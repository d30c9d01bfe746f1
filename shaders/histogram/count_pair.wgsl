// The counter of a pair's two bins, those of y next to each other; behind the bins come OUTSIDE and, last, NaN.
//
// Expects: x_INSIDE, y_INSIDE (the operator, once for each axis); bin_add, replica_of (bins/flat.wgsl and bins/counters.wgsl, or
// bins/memory.wgsl).

const OUTSIDE = x_INSIDE * y_INSIDE;  // the counter of pairs with a number outside of its range, none of them NaN

struct State { replica: u32 }

fn init_state(id: Invocation) -> State { return State(replica_of(id)); }
fn flags_of(state: State) -> u32 { return 0u; }

fn count_pair(state: State, x: u32, y: u32) {
    var slot = select(OUTSIDE, x * y_INSIDE + y, (x < x_INSIDE) & (y < y_INSIDE));
    slot = select(slot, OUTSIDE + 1u, (x == x_INSIDE + 2u) | (y == y_INSIDE + 2u));
    bin_add(slot, state.replica, 1u);
}
