// The accumulator of a subgroup, in each of its lanes, where it is so long that it lies in memory: one step in a loop, as
// drivers take longest over shuffles of many words.
//
// Expects: Acc, combine, shuffle (the operator); a full subgroup.

fn butterfly(mine: Acc, lanes: u32) -> Acc {
    var acc = mine;
    for (var mask = 1u; mask < lanes; mask <<= 1u) { acc = combine(acc, shuffle(acc, mask)); }
    return acc;
}
