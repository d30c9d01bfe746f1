// The state of an invocation that adds to bins: its replica, and flags for inputs that an integer cannot represent.
struct State {
    replica: u32,
    flags: u32,
}

fn init_state(id: Invocation) -> State { return State(replica_of(id), 0u); }
fn flush_window(state: State) {}
fn flags_of(state: State) -> u32 { return state.flags; }
