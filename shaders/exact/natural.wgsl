// A natural number of LIMBS words, low word first, and what rounding asks of it.
//
// Expects: LIMBS.

alias Limbs = array<u32, LIMBS>;

// The place of the highest bit that is set; -1 of zero.
fn highest(size: ptr<function, Limbs>) -> i32 {
    var place = -1i;
    for (var i = 0u; i < LIMBS; i++) {
        let limb = (*size)[i];
        place = select(place, i32(32u * i + firstLeadingBit(limb)), limb != 0u);
    }
    return place;
}

// A bit, and 32 from a place on: zeros where there is no limb.
fn bit_at(size: ptr<function, Limbs>, at: i32) -> u32 { return (limb_at(size, at >> 5u) >> (u32(at) & 31u)) & 1u; }

fn word_at(size: ptr<function, Limbs>, at: i32) -> u32 {
    let low = at >> 5u;
    let upper = limb_at(size, low + 1i);
    let right = u32(at) & 31u;
    return (limb_at(size, low) >> right) | ((upper << 1u) << (31u - right));
}

fn limb_at(size: ptr<function, Limbs>, i: i32) -> u32 {
    let limb = (*size)[clamp(i, 0i, i32(LIMBS) - 1i)];
    return select(0u, limb, (i >= 0i) & (i < i32(LIMBS)));
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
