// The square root of the sum, rounded once to f32: 32 digits, each of two bits of the sum, and whether anything is left. In units
// of 2^(UNIT / 2).
//
// Expects: root_of (exact/root.wgsl); leading, nearest (exact/round.wgsl); exact/specials.wgsl.
fn root_f32(acc: Acc) -> u32 {
    let size = leading(acc);
    // The first of two bits has an odd place: 0, where the sum's first has an even one.
    let odd = (size.highest & 1i) == 1i;
    let both = select((size.bits.yx >> vec2<u32>(1u)) | vec2<u32>(size.bits.x << 31u, 0u), size.bits.yx, odd);
    let root = root_of(both);
    let cut = select(size.bits.y & 1u, 0u, odd) | size.bits.z | size.rest | root.rest.x | root.rest.y;
    // A norm has no sign, and that of -0 only is +0.
    return with_specials(acc, nearest(root.digits, cut, size.highest >> 1u), vec2<u32>());
}
