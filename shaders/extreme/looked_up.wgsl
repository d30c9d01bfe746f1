// Nothing of the best vector: its elements are read again, for operators beside others, which need the registers.
//
// Expects: element (load/*.wgsl); State, rank_here, one_nan, LAST (extreme/best_vector.wgsl); Acc, identity, rank (the operator).
alias KeptVector = u32;

fn kept_vector(vector: vec4<u32>) -> KeptVector { return 0u; }

fn to_acc(state: State, id: Invocation) -> Acc {
    if state.at == 0xffffffffu { return identity(); }
    var at = state.at;
    var bits = element(at);
    for (var k = 0u; k < 3u; k++) {
        if one_nan(rank_here(bits)) == state.best { break; }
        at = select(at + 1u, at - 1u, LAST);
        bits = element(at);
    }
    return Acc(rank(bits), at, 0u);
}
