// Every element of 64 bits adds to the counter of its bin.
//
// Expects: bin_of (histogram/wide.wgsl); bin_add, replica_of (bins/flat.wgsl and bins/counters.wgsl, bins/sliced.wgsl or
// bins/memory.wgsl).

struct State { replica: u32 }

fn init_state(id: Invocation) -> State { return State(replica_of(id)); }
fn flags_of(state: State) -> u32 { return 0u; }

fn accumulate(state: State, bits: Bits, index: u32) -> State {
    bin_add(bin_of(bits), state.replica, 1u);
    return state;
}
