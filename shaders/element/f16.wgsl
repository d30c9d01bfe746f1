// Functions for operators on the bits of one f16, in the low half of a word. Integers decide: a device may lose subnormals and NaN.
fn is_nan(bits: u32) -> bool { return (bits & 0x7fffu) > 0x7c00u; }
fn is_zero(bits: u32) -> bool { return (bits & 0x7fffu) == 0u; }

// Keys order as the values do, -0 just below +0; tie() makes the two zeros one.
fn key(bits: u32) -> u32 { return bits ^ select(0x8000u, 0xffffu, (bits & 0x8000u) != 0u); }
fn unkey(k: u32) -> u32 { return (k ^ select(0xffffu, 0x8000u, (k & 0x8000u) != 0u)) & 0xffffu; }
// Complements of keys, too, whose upper half is all ones.
fn tie(k: u32) -> u32 { return k + select(0u, 1u, (k & 0xffffu) == 0x7fffu); }

// The bits among others above them.
fn wide_bits(bits: u32) -> u32 { return bits & 0xffffu; }
