// Functions for operators on the bits of one i32.
fn value(bits: u32) -> i32 { return bitcast<i32>(bits); }
fn is_nan(bits: u32) -> bool { return false; }
fn is_zero(bits: u32) -> bool { return bits == 0u; }

// Keys are u32 that order as the values do.
fn key(bits: u32) -> u32 { return bits ^ 0x80000000u; }
fn unkey(k: u32) -> u32 { return k ^ 0x80000000u; }
fn tie(k: u32) -> u32 { return k; }
