// The best rank so far and the vector that it came in: which of the four it is, is found once, at the end. The better of two
// elements has the lower rank.
//
// Expects: rank_here, the same of both zeros; one_nan, the rank of every NaN for those of some; LAST: whether the last of equals
// is looked for; KeptVector, kept_vector: what is kept of the best vector (extreme/kept.wgsl or extreme/looked_up.wgsl); that an
// invocation meets vectors in their order.
struct State {
    best: u32,
    at: u32,  // the vector's first element, where LAST its last one; or an element that came alone; nothing yet: all ones
    kept: KeptVector,
}

fn init_state(id: Invocation) -> State { return State(0xffffffffu, 0xffffffffu, KeptVector()); }

fn with_best(state: State, best: u32, at: u32, vector: vec4<u32>, wins: bool) -> State {
    let kept = select(state.kept, kept_vector(vector), wins);
    return State(select(state.best, best, wins), select(state.at, at, wins), kept);
}

// Single elements come in any order.
fn accumulate(state: State, bits: u32, index: u32) -> State {
    let here = one_nan(rank_here(bits));
    let before = select((index < state.at), (index + 1u > state.at + 1u), LAST);
    let wins = (here < state.best) | ((here == state.best) & before);
    return with_best(state, here, index, vec4<u32>(bits), wins);
}

fn accumulate_vector(state: State, vector: vec4<u32>, index: u32) -> State {
    let front = min(rank_here(vector.x), rank_here(vector.y));
    let back = min(rank_here(vector.z), rank_here(vector.w));
    let best = one_nan(min(front, back));
    let wins = (best < state.best) | ((best == state.best) & (LAST | (state.at == 0xffffffffu)));
    return with_best(state, best, index + select(0u, 3u, LAST), vector, wins);
}
