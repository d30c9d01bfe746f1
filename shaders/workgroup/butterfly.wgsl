// The accumulator of a subgroup, in each of its lanes: in every step each meets one that is twice as far away as before. Masks are
// known when compiled. A line that ends in `for K` is repeated for each K, as often as the most lanes ask for.
//
// Expects: Acc, combine, shuffle (the operator); LANES_MIN (the plan); a full subgroup.

fn butterfly(mine: Acc, lanes: u32) -> Acc {
    var acc = mine;
    if ((1u << K) < LANES_MIN) | ((1u << K) < lanes) { acc = combine(acc, shuffle(acc, 1u << K)); }  // for K in 0..BUTTERFLY
    return acc;
}
