// Functions for operators on the bits of one u64, (low, high) words.
fn is_nan(bits: vec2<u32>) -> bool { return false; }
fn is_zero(bits: vec2<u32>) -> bool { return (bits.x | bits.y) == 0u; }

// Keys are pairs of words that order as the values do, the high one first.
fn key(bits: vec2<u32>) -> vec2<u32> { return bits; }
fn unkey(k: vec2<u32>) -> vec2<u32> { return k; }
fn tie(k: vec2<u32>) -> vec2<u32> { return k; }
