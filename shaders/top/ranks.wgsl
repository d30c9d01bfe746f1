// Ranks of a word: the lowest comes first. A digit has BITS, from any bit on.
alias Bits = u32;

const WORDS = 1u;
const BITS = 8u;
const WORST = 0xffffffffu;  // no rank is higher

fn lower(a: Bits, b: Bits) -> bool { return a < b; }
fn same(a: Bits, b: Bits) -> bool { return a == b; }
// A rank and a place.
alias Entry = vec2<u32>;

fn entry(a: Bits, i: u32) -> Entry { return vec2<u32>(a, i); }
fn rank_in(e: Entry) -> Bits { return e.x; }
fn place_in(e: Entry) -> u32 { return e.y; }

fn words_of(bits: Bits) -> vec2<u32> { return vec2<u32>(bits, 0u); }

fn digit(a: Bits, shift: u32) -> u32 { return (a >> shift) % (1u << BITS); }
fn with_digit(a: Bits, shift: u32, value: u32) -> Bits { return a | (value << shift); }

// The highest bit in which two differ, plus one; 0: they are the same.
fn bits_apart(a: Bits, b: Bits) -> u32 { return 32u - countLeadingZeros(a ^ b); }
fn with_low(a: Bits, count: u32) -> Bits { return a | ((1u << count) - 1u); }
fn without_low(a: Bits, count: u32) -> Bits { return a & ~select((1u << count) - 1u, 0xffffffffu, count >= 32u); }
