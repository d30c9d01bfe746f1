// Squares of f32 into shared bins: the upper six bits of the exponent choose the place, the lower two shift the root within it.
//
// Expects: significand_of (exact/f32_amount.wgsl), product_of (exact/multiply*.wgsl), add_two (exact/linked.wgsl).

// Adds a square, of at most 54 bits; returns the pattern of its root without the sign.
fn put(bits: u32, replica: u32) -> u32 {
    let root = significand_of(bits) << ((bits >> 23u) & 3u);
    let square = product_of(root, root);
    add_two((bits >> 25u) & 63u, replica, square.x, square.y);
    return bits << 1u;
}

// The flags of squares, by the largest pattern of their roots.
fn square_flags(most: u32, flags: u32) -> u32 {
    return flags | select(0u, FLAG_NAN, most > 0xff000000u) | select(0u, FLAG_PLUS, most == 0xff000000u);
}
