// Ranks of two words, (low, high): the lowest comes first. Their digits are counted from the lowest on.
//
// Expects: BITS of a digit, which divide 32; less64 (element/wide.wgsl).
alias Bits = vec2<u32>;

const WORDS = 2u;
const PER_WORD = 32u / BITS;
const DIGITS = 2u * PER_WORD;
const WORST = vec2<u32>(0xffffffffu, 0xffffffffu);  // no rank is higher

fn lower(a: Bits, b: Bits) -> bool { return less64(a, b); }
fn same(a: Bits, b: Bits) -> bool { return all(a == b); }
// A rank and a place.
alias Entry = vec3<u32>;

fn entry(a: Bits, i: u32) -> Entry { return vec3<u32>(a, i); }
fn rank_in(e: Entry) -> Bits { return e.xy; }
fn place_in(e: Entry) -> u32 { return e.z; }

fn words_of(bits: Bits) -> vec2<u32> { return bits; }

fn digit(a: Bits, d: u32) -> u32 {
    return (select(a.x, a.y, d >= PER_WORD) >> (d % PER_WORD * BITS)) % (1u << BITS);
}
fn with_digit(a: Bits, d: u32, value: u32) -> Bits {
    let here = value << (d % PER_WORD * BITS);
    return a | select(vec2<u32>(here, 0u), vec2<u32>(0u, here), d >= PER_WORD);
}

// Whether two have the same digits above one.
fn agree(a: Bits, b: Bits, d: u32) -> bool {
    let apart = a ^ b;
    let above = (select(apart.x, apart.y, d >= PER_WORD) >> (d % PER_WORD * BITS)) >> BITS;
    return (above == 0u) & ((d >= PER_WORD) | (apart.y == 0u));
}
