// Ranks of a word: the lowest comes first. Their digits are counted from the lowest on.
//
// Expects: BITS of a digit, which divide 32.
alias Bits = u32;

const WORDS = 1u;
const DIGITS = 32u / BITS;
const WORST = 0xffffffffu;  // no rank is higher

fn lower(a: Bits, b: Bits) -> bool { return a < b; }
fn same(a: Bits, b: Bits) -> bool { return a == b; }
// A rank and a place.
alias Entry = vec2<u32>;

fn entry(a: Bits, i: u32) -> Entry { return vec2<u32>(a, i); }
fn rank_in(e: Entry) -> Bits { return e.x; }
fn place_in(e: Entry) -> u32 { return e.y; }

fn words_of(bits: Bits) -> vec2<u32> { return vec2<u32>(bits, 0u); }

fn digit(a: Bits, d: u32) -> u32 { return (a >> (d * BITS)) % (1u << BITS); }
fn with_digit(a: Bits, d: u32, value: u32) -> Bits { return a | (value << (d * BITS)); }

// Whether two have the same digits above one.
fn agree(a: Bits, b: Bits, d: u32) -> bool { return (((a ^ b) >> (d * BITS)) >> BITS) == 0u; }
