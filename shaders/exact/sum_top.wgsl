// The upper end of an exact sum's size.
//
// Expects: exact/top.wgsl, exact/specials.wgsl.
fn top_of(acc: Acc) -> Top {
    var limbs = acc.limbs;
    let sign = select(0u, 0xffffffffu, is_negative(acc));
    var carry = sign & 1u;
    var seen = Words();
    var all = Words();
    var end = 0i;
    for (var i = 0u; i < LIMBS; i++) {
        let limb = (limbs[i] ^ sign) + carry;
        carry = select(0u, carry, limb == 0u);
        seen = topped(seen, limb);
        if limb != 0u {
            all = seen;
            end = 32i * i32(i) + 32i;
        }
    }
    return top_of_words(all, end);
}
