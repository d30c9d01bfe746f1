// The sum of two accumulators without a loop, so that their limbs stay in registers. A line that ends in
// `for K` is repeated for each K.
//
// Expects: exact/accumulator.wgsl.
fn long_add(a: Acc, b: Acc) -> Acc {
    var sum = a;
    var next = vec2<u32>();
    sum.flags |= b.flags;
    next = limb_sum(a.limbs[K], b.limbs[K], next.y); sum.limbs[K] = next.x;  // for K in 0..LIMBS
    return sum;
}
