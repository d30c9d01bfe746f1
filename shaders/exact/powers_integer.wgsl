// Σx and Σx² of integers: 64 and 96 bits.
//
// Expects: SUM_LIMBS, 2; SQUARES_LIMBS, 3.

fn finite(acc: Acc) -> bool { return true; }

fn sum_of(acc: Acc) -> array<u32, SUM_LIMBS + 1u> {
    let negative = (acc.sign != 0u) & (acc.s1 >> 31u == 1u);
    let sum = vec2<u32>(acc.s0, acc.s1);
    let size = select(sum, add64(~sum, vec2<u32>(1u, 0u)), negative);
    return array<u32, SUM_LIMBS + 1u>(size.x, size.y, 0u);
}

fn squares_of(acc: Acc) -> array<u32, SQUARES_LIMBS + 1u> {
    return array<u32, SQUARES_LIMBS + 1u>(acc.q0, acc.q1, acc.q2, 0u);
}
