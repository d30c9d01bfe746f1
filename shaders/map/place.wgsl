// The base of the places that a map asks for: that of the row.
fn init_state(id: Invocation) -> State {
    position_base = base_of(row_of(id.workgroup.x));
    return made_init_state(id);
}
