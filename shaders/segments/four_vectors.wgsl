// Vectors of a segment, of which four are under way: what takes one is long, and stands here once.
//
// Expects: State, accumulate_vector (the operator); load (load/*.wgsl).

// How many of so many are taken together.
fn run_of(vectors: u32) -> u32 { return vectors; }

// One vector at least.
fn taken_run(state: State, first: u32, count: u32) -> State {
    let last = first + count - 1u;
    var all = state;
    var now = load(first);
    var second = load(min(first + 1u, last));
    var third = load(min(first + 2u, last));
    for (var v = first; v <= last; v++) {
        let fourth = load(min(v + 3u, last));
        all = accumulate_vector(all, now, v * PER_VECTOR);
        now = second;
        second = third;
        third = fourth;
    }
    return all;
}
