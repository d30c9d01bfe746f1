// What signs and flags make of the rounding of an exact sum.
//
// Expects: exact/accumulator.wgsl; EXPONENT_MIN, the place of an f32's last digit at least.

fn is_negative(acc: Acc) -> bool { return acc.limbs[LIMBS - 1u] >> 31u == 1u; }

// Flags take precedence over the integer.
fn is_nan_sum(acc: Acc) -> bool { return ((acc.flags & FLAG_NAN) != 0u) | ((acc.flags & 6u) == 6u); }
fn is_infinite_sum(acc: Acc) -> bool { return (acc.flags & 6u) != 0u; }

// The sign bit of a sum that is no NaN: a sum of only -0 is -0.
fn sign_of(acc: Acc, count: vec2<u32>) -> u32 {
    let only_minus_zeros = ((acc.flags & FLAG_OTHER) == 0u) & ((count.x | count.y) != 0u);
    let negative = select(is_negative(acc) | only_minus_zeros, (acc.flags & FLAG_MINUS) != 0u, is_infinite_sum(acc));
    return select(0u, 0x80000000u, negative);
}

// The f32 of a sum whose rounded magnitude has these bits.
fn with_specials(acc: Acc, bits: u32, count: vec2<u32>) -> u32 {
    if is_nan_sum(acc) { return 0x7fc00000u; }
    return sign_of(acc, count) | select(bits, 0x7f800000u, is_infinite_sum(acc));
}

// The f32 of 24 digits whose last one is at place `at`, rounded to nearest even by the digit behind and what follows.
fn pack(digits: u32, at: i32, half: bool, rest: bool) -> u32 {
    let up = select(0u, 1u, half & (rest | ((digits & 1u) == 1u)));
    // Zero has no place: for f16 it would be far above EXPONENT_MIN.
    let exponent = select(at - EXPONENT_MIN, 0i, digits == 0u);
    return select((u32(exponent) << 23u) + digits + up, 0x7f800000u, exponent >= 254i);
}
