// The best of eight floats of 16 bits and its place, compared once with what was found before. Zeros, which tie, and NaN go one
// after another where they may win: of first ones both come once at most, for what ties does not win again.
//
// Expects: best_half (extreme/arg_halves.wgsl), any_nan, bits_of, ZERO; lift, combine, tie; TURN: 0 where the first is looked for;
// that an invocation meets vectors in their order.
fn one_by_one(acc: Acc, word: u32, index: u32) -> Acc {
    return combine(combine(acc, lift(bits_of(word), index)), lift(bits_of(word >> 16u), index + 1u));
}

fn best_of(acc: Acc, vector: vec4<u32>, index: u32) -> Acc {
    let best = best_half(vector, index);
    let nan = any_nan(vector) & ((TURN != 0u) | (acc.key != 0u));
    let open = (tie(acc.key) > ZERO) | ((TURN != 0u) & (tie(acc.key) == ZERO));
    if nan | ((tie(best.key) == ZERO) & open) {
        let before = one_by_one(one_by_one(acc, vector.x, index), vector.y, index + 2u);
        return one_by_one(one_by_one(before, vector.z, index + 4u), vector.w, index + 6u);
    }
    return combine(acc, best);
}
