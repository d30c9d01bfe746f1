// The flags of f16, of one and of eight.

// Of an infinity or a NaN.
fn special(bits: u32) -> u32 {
    let size = bits & 0x7fffu;
    let infinity = select(FLAG_PLUS, FLAG_MINUS, (bits & 0x8000u) != 0u);
    return select(0u, FLAG_NAN, size > 0x7c00u) | select(0u, infinity, size == 0x7c00u);
}

fn both_special(word: u32) -> u32 { return special(word & 0xffffu) | special(word >> 16u); }

fn specials(vector: vec4<u32>) -> u32 {
    // An exponent of all ones carries into the sign.
    let carried = (vector & vec4<u32>(0x7c007c00u)) + vec4<u32>(0x04000400u);
    if ((carried.x | carried.y | carried.z | carried.w) & 0x80008000u) == 0u { return 0u; }
    return both_special(vector.x) | both_special(vector.y) | both_special(vector.z) | both_special(vector.w);
}

// Not 0 if an element is not -0.
fn others(vector: vec4<u32>) -> u32 {
    let bits = vector ^ vec4<u32>(0x80008000u);
    return bits.x | bits.y | bits.z | bits.w;
}
