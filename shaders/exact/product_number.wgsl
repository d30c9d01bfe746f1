// A number of 53 bits into shared bins of products of f32, whose last place is that of 2^-248 or more.
//
// Expects: words_of (exact/float64_levels.wgsl), add_two (exact/linked.wgsl).

fn put_number(x: f64, replica: u32) {
    let bits = words_of(x);
    if (bits.y & 0x7fffffffu) != 0u {
        let at = ((bits.y >> 20u) & 2047u) - 775u;  // its last digit, from that of the least product
        let left = at & 7u;
        let high = (((bits.y & 0xfffffu) | 0x100000u) << left) | ((bits.x >> 1u) >> (31u - left));
        add_two((at >> 3u) | ((bits.y >> 25u) & PLACES), replica, bits.x << left, high);
    }
}
