// Functions for operators on the bits of one f32. Integers decide: a device may assume that floats hold no NaN.
fn value(bits: u32) -> f32 { return bitcast<f32>(bits); }
fn is_nan(bits: u32) -> bool { return (bits & 0x7fffffffu) > 0x7f800000u; }
fn is_zero(bits: u32) -> bool { return (bits & 0x7fffffffu) == 0u; }

// Keys order as the values do, -0 just below +0; tie() makes the two zeros one.
fn key(bits: u32) -> u32 { return bits ^ (bitcast<u32>(bitcast<i32>(bits) >> 31u) | 0x80000000u); }
fn unkey(k: u32) -> u32 { return k ^ (bitcast<u32>(bitcast<i32>(~k) >> 31u) | 0x80000000u); }
fn tie(k: u32) -> u32 { return k + select(0u, 1u, k == 0x7fffffffu); }
