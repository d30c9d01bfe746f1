// f32 into shared bins: the sign and the upper five bits of the exponent choose the bin, the lower three shift the
// significand within it. No branch, and the cost does not depend on the data.

struct Local {
    copy: u32,
    top: i32,  // the largest pattern as i32: above 0x7f800000 for a NaN, equal for +inf, the least of all for -0 only
    low: u32,  // the largest pattern as u32: above 0xff800000 for a NaN, equal for -inf
}

fn begin(who: Invocation) -> Local { return Local(copy_of(who), -2147483647i - 1i, 0u); }

fn put(bits: u32, copy: u32) {
    // 24 bits with the leading one. Subnormals lack it, and stand one place higher than their exponent of 0 says.
    let leading = (bits & 0x7fffffu) | 0x800000u;
    let significand = select(leading, bits << 1u, (bits & 0x7f800000u) == 0u);
    deposit(bits >> 26u, copy, significand << ((bits >> 23u) & 7u));
}

fn take(mine: Local, bits: Bits, index: u32) -> Local {
    put(bits, mine.copy);
    return Local(mine.copy, max(mine.top, bitcast<i32>(bits)), max(mine.low, bits));
}

fn fold(mine: Local, quad: vec4<u32>, index: u32) -> Local {
    let signed = bitcast<vec4<i32>>(quad);
    let top = max(max(signed.x, signed.y), max(signed.z, signed.w));
    let low = max(max(quad.x, quad.y), max(quad.z, quad.w));
    put(quad.x, mine.copy);
    put(quad.y, mine.copy);
    put(quad.z, mine.copy);
    put(quad.w, mine.copy);
    return Local(mine.copy, max(mine.top, top), max(mine.low, low));
}

