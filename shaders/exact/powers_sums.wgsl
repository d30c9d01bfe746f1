// Σx and Σx² as exact sums, one accumulator each.
//
// Expects: Limbs (exact/natural.wgsl), SUM_LIMBS, SQUARES_LIMBS.

const FLAGS_NOT_FINITE = 7u;  // a NaN or an infinity

fn finite(acc: Acc) -> bool { return (acc.m0.flags & FLAGS_NOT_FINITE) == 0u; }

fn sum_of(acc: Acc) -> Limbs {
    var sum = acc.m0.limbs;
    let negative = sum[SUM_LIMBS - 1u] >> 31u == 1u;
    var carry = select(0u, 1u, negative);
    var size = Limbs();
    for (var i = 0u; i < SUM_LIMBS; i++) {
        let limb = select(sum[i], ~sum[i], negative) + carry;
        carry = select(0u, carry, limb == 0u);
        size[i] = limb;
    }
    return size;
}

fn squares_of(acc: Acc) -> Limbs {
    var squares = acc.m1.limbs;
    var all = Limbs();
    for (var i = 0u; i < SQUARES_LIMBS; i++) { all[i] = squares[i]; }
    return all;
}
