// Ranks of two words, (low, high): the lowest comes first. A digit has BITS, from any bit on.
//
// Expects: less64 (element/wide.wgsl).
alias Bits = vec2<u32>;

const WORDS = 2u;
const BITS = 8u;
const WORST = vec2<u32>(0xffffffffu, 0xffffffffu);  // no rank is higher

fn lower(a: Bits, b: Bits) -> bool { return less64(a, b); }
fn same(a: Bits, b: Bits) -> bool { return all(a == b); }
// A rank and a place.
alias Entry = vec3<u32>;

fn entry(a: Bits, i: u32) -> Entry { return vec3<u32>(a, i); }
fn rank_in(e: Entry) -> Bits { return e.xy; }
fn place_in(e: Entry) -> u32 { return e.z; }

fn words_of(bits: Bits) -> vec2<u32> { return bits; }

fn digit(a: Bits, shift: u32) -> u32 {
    let upper = a.y >> (shift % 32u);
    let lower = (a.x >> (shift % 32u)) | select(0u, a.y << (32u - shift % 32u), shift % 32u > 0u);
    return select(lower, upper, shift >= 32u) % (1u << BITS);
}
fn with_digit(a: Bits, shift: u32, value: u32) -> Bits {
    let here = value << (shift % 32u);
    let over = select(0u, value >> (32u - shift % 32u), shift % 32u > 0u);
    return a | select(vec2<u32>(here, over), vec2<u32>(0u, here), shift >= 32u);
}

// The highest bit in which two differ, plus one; 0: they are the same.
fn bits_apart(a: Bits, b: Bits) -> u32 {
    let bits = vec2<u32>(32u, 32u) - countLeadingZeros(a ^ b);
    return select(bits.x, 32u + bits.y, bits.y > 0u);
}
fn low_bits(count: u32) -> Bits {
    let some = (1u << (count % 32u)) - 1u;
    let upper = select(some, 0xffffffffu, count >= 64u);
    return select(vec2<u32>(some, 0u), vec2<u32>(0xffffffffu, upper), count >= 32u);
}
fn with_low(a: Bits, count: u32) -> Bits { return a | low_bits(count); }
fn without_low(a: Bits, count: u32) -> Bits { return a & ~low_bits(count); }
