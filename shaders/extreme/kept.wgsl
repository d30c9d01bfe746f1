// All four elements of the best vector, in registers.
//
// Expects: State, rank_here, one_nan, LAST (extreme/best_vector.wgsl); Acc, identity, rank (the operator).
alias KeptVector = vec4<u32>;

fn kept_vector(vector: vec4<u32>) -> KeptVector { return vector; }

fn to_acc(state: State, id: Invocation) -> Acc {
    if state.at == 0xffffffffu { return identity(); }
    // From the other end, so that the one looked for is met last.
    let vector = select(state.kept.wzyx, state.kept, LAST);
    var bits = vector.x;
    var k = 3u;
    if one_nan(rank_here(vector.y)) == state.best { bits = vector.y; k = 2u; }
    if one_nan(rank_here(vector.z)) == state.best { bits = vector.z; k = 1u; }
    if one_nan(rank_here(vector.w)) == state.best { bits = vector.w; k = 0u; }
    return Acc(rank(bits), select(state.at + k, state.at - k, LAST), 0u);
}
