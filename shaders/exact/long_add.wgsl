// The sum of two accumulators, in a loop over their limbs.
fn long_add(a: Acc, b: Acc) -> Acc {
    var sum = a;
    var other = b;
    sum.flags |= b.flags;
    var carry = 0u;
    for (var i = 0u; i < LIMBS; i++) {
        let x = sum.limbs[i];
        let y = x + other.limbs[i];
        let z = y + carry;
        carry = select(0u, 1u, y < x) + select(0u, 1u, z < y);
        sum.limbs[i] = z;
    }
    return sum;
}
