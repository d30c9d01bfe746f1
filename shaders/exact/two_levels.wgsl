// The state of sums of numbers of 106 bits, each an f64 and what its rounding leaves: both in two levels.
//
// Expects: no_window (exact/float64_window.wgsl); Levels (exact/float64_levels.wgsl); start_of, start_of_rest, where the upper ones
// begin; put_number (exact/scatter_f64.wgsl); put_held (exact/float64_levels.wgsl).

struct State {
    replica: u32,
    flags: u32,
    window: Window,
    sum: Levels,   // of the numbers, rounded
    rest: Levels,  // of what that leaves
}

fn init_state(id: Invocation) -> State { return State(replica_of(id), 0u, no_window(), Levels(), Levels()); }

fn started(state: State) -> State {
    var all = state;
    all.sum = Levels(start_of(all), f64());
    all.rest = Levels(start_of_rest(all), f64());
    return all;
}

fn put_sums(state: State) {
    put_number(state.sum.high - start_of(state), state.replica);
    put_number(state.sum.low, state.replica);
    put_number(state.rest.high - start_of_rest(state), state.replica);
    put_number(state.rest.low, state.replica);
}

fn flags_of(state: State) -> u32 { put_held(state); return state.flags; }
