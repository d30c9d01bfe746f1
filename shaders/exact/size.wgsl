// An exact sum without its sign, and what rounding asks of it.

alias Limbs = array<u32, LIMBS>;

fn is_negative(acc: Acc) -> bool { return acc.limbs[LIMBS - 1u] >> 31u == 1u; }

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

// The place of the highest bit that is set; -1 of zero.
fn highest(size: ptr<function, Limbs>) -> i32 {
    var place = -1i;
    for (var i = 0u; i < LIMBS; i++) {
        let limb = (*size)[i];
        place = select(place, i32(32u * i + firstLeadingBit(limb)), limb != 0u);
    }
    return place;
}

fn bit_at(size: ptr<function, Limbs>, at: i32) -> u32 {
    let place = u32(max(at, 0i));
    let limb = (*size)[min(place / 32u, LIMBS - 1u)];
    return select(0u, (limb >> (place % 32u)) & 1u, at >= 0i);
}

// 32 bits from a place on; below 0 of zero only.
fn word_at(size: ptr<function, Limbs>, at: i32) -> u32 {
    let place = u32(max(at, 0i));
    let low = place / 32u;
    let high = low + 1u;
    let above = select(0u, (*size)[min(high, LIMBS - 1u)], high < LIMBS);
    return ((*size)[low] >> (place % 32u)) | ((above << 1u) << (31u - place % 32u));
}

// Whether any bit below a place is set.
fn any_below(size: ptr<function, Limbs>, at: i32) -> bool {
    var seen = 0u;
    for (var i = 0u; i < LIMBS; i++) {
        let bits = clamp(at - i32(32u * i), 0i, 32i);
        seen |= select((*size)[i] & ((1u << (u32(bits) & 31u)) - 1u), (*size)[i], bits == 32i);
    }
    return seen != 0u;
}

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
