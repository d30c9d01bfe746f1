// Vectors of a segment, one by one.
//
// Expects: State, accumulate_vector (the operator); load (load/*.wgsl).

// How many of so many are taken together.
fn run_of(vectors: u32) -> u32 { return 1u; }

fn taken_run(state: State, first: u32, count: u32) -> State {
    return accumulate_vector(state, load(first), first * PER_VECTOR);
}
