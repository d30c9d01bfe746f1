// f16: every value lies within 41 bits, so that one 64-bit integer in two words holds the sum of an invocation.
// In the accumulator's units of 2^-56 it stands one limb up.

struct Local {
    sum: vec2<u32>,  // in units of 2^-24
    flags: u32,
}

fn begin(who: Invocation) -> Local { return Local(vec2<u32>(), 0u); }

fn take(mine: Local, bits: Bits, index: u32) -> Local {
    let size = bits & 0x7fffu;
    let significand = (bits & 0x3ffu) | min(size & 0x7c00u, 0x400u);
    let left = max(size >> 10u, 1u) - 1u;
    let amount = vec2<u32>(significand << left, (significand >> 1u) >> (31u - left));
    let sign = vec2<u32>(0u - (bits >> 15u));
    let negated = add64(amount ^ sign, vec2<u32>(bits >> 15u, 0u));
    let negative = bits >> 15u == 1u;
    let flags = select(0u, FLAG_NAN, size > 0x7c00u)
        | select(0u, select(FLAG_PLUS, FLAG_MINUS, negative), size == 0x7c00u)
        | select(0u, FLAG_OTHER, bits != 0x8000u);
    return Local(add64(mine.sum, negated), mine.flags | flags);
}

fn gather(mine: Local, who: Invocation) -> Acc {
    let above = bitcast<u32>(bitcast<i32>(mine.sum.y) >> 31u);
    return Acc(mine.flags, array<u32, 4>(0u, mine.sum.x, mine.sum.y, above));
}
