// Σx and Σx² as exact sums, one accumulator each. A line that ends in `for K` is repeated for each K.
//
// Expects: SUM_LIMBS, SQUARES_LIMBS.

const FLAGS_NOT_FINITE = 7u;  // a NaN or an infinity

fn finite(acc: Acc) -> bool { return (acc.m0.flags & FLAGS_NOT_FINITE) == 0u; }

fn sum_of(acc: Acc) -> array<u32, SUM_LIMBS + 1u> {
    var size = array<u32, SUM_LIMBS + 1u>();
    let sign = select(0u, 0xffffffffu, acc.m0.limbs[SUM_LIMBS - 1u] >> 31u == 1u);
    var carry = sign & 1u;
    size[K] = (acc.m0.limbs[K] ^ sign) + carry; carry = select(0u, carry, size[K] == 0u);  // for K in 0..SUM_LIMBS
    return size;
}

fn squares_of(acc: Acc) -> array<u32, SQUARES_LIMBS + 1u> {
    var all = array<u32, SQUARES_LIMBS + 1u>();
    all[K] = acc.m1.limbs[K];  // for K in 0..SQUARES_LIMBS
    return all;
}
