// Σx and Σx² of integers: 64 and 96 bits.
//
// Expects: Limbs (exact/natural.wgsl).

fn finite(acc: Acc) -> bool { return true; }

fn sum_of(acc: Acc) -> Limbs {
    let negative = (acc.sign != 0u) & (acc.s1 >> 31u == 1u);
    let sum = vec2<u32>(acc.s0, acc.s1);
    let size = select(sum, add64(~sum, vec2<u32>(1u, 0u)), negative);
    var limbs = Limbs();
    limbs[0] = size.x;
    limbs[1] = size.y;
    return limbs;
}

fn squares_of(acc: Acc) -> Limbs {
    var limbs = Limbs();
    limbs[0] = acc.q0;
    limbs[1] = acc.q1;
    limbs[2] = acc.q2;
    return limbs;
}
