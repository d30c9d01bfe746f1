// What becomes of a vector whose numbers an invocation adds up in sums of its own: they go to these where the window has them all,
// else to the bins.
//
// Expects: State, with a window; put_held, which adds its sums to the bins; started, the state with sums that begin anew;
// with_noted, the state with what it keeps of each vector, and with_inside and with_outside, with one that the window has, or has
// not; next_window, has (exact/float64_window.wgsl).

// With room for so many vectors more, of which this is the largest size: where there is none, the sums go to the bins and begin
// anew.
fn with_room(state: State, vectors: u32, largest: u32) -> State {
    var all = state;
    if all.window.room < vectors {
        put_held(all);
        all.window = next_window(all.window, largest);
        all = started(all);
    }
    all.window.room -= vectors;
    return all;
}

// With a vector, for which there is room, and whose sizes these are.
fn with_vector(state: State, vector: vec4<u32>, sizes: vec2<u32>) -> State {
    var all = with_noted(state, vector);
    if has(all.window, sizes) { return with_inside(all, vector); }
    all.window.apart++;
    return with_outside(all, vector, sizes);
}
