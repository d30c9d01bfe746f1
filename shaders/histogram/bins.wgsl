// Every element adds to the counter of its bin.
//
// Expects: bins_of (histogram/of_all.wgsl or of_slice.wgsl); bin_add, replica_of (bins/flat.wgsl and bins/counters.wgsl,
// bins/sliced.wgsl or bins/memory.wgsl).

struct State { replica: u32 }

fn init_state(id: Invocation) -> State { return State(replica_of(id)); }
fn flags_of(state: State) -> u32 { return 0u; }

fn accumulate(state: State, bits: Bits, index: u32) -> State {
    bin_add(bins_of(vec4<u32>(bits)).x, state.replica, 1u);
    return state;
}

fn accumulate_vector(state: State, vector: vec4<u32>, index: u32) -> State {
    let bins = bins_of(vector);
    bin_add(bins.x, state.replica, 1u);
    bin_add(bins.y, state.replica, 1u);
    bin_add(bins.z, state.replica, 1u);
    bin_add(bins.w, state.replica, 1u);
    return state;
}
