// One sum of two levels in a state, as it begins.
//
// Expects: State, with sum, its Levels (exact/float64_levels.wgsl); start_of, where its upper one begins.

fn started(state: State) -> State {
    var all = state;
    all.sum = Levels(start_of(all), f64());
    return all;
}
