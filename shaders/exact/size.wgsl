// An exact sum without its sign, a natural number (exact/natural.wgsl).
//
// Expects: exact/specials.wgsl.
fn size_of(acc: Acc) -> Limbs {
    var size = acc.limbs;
    if is_negative(acc) {
        var carry = 1u;
        for (var i = 0u; i < LIMBS; i++) {
            let limb = ~size[i] + carry;
            carry = select(0u, carry, limb == 0u);
            size[i] = limb;
        }
    }
    return size;
}
