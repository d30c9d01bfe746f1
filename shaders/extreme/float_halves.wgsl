// Floats of 16 bits, two to a word, as ranks, both at once. NaN are asked about apart.
//
// Expects: FLIP, what turns keys into ranks; NAN_ROOM, what takes the size of a NaN, and of nothing else, to the sign's bit.
fn ranks(word: u32) -> u32 { return word ^ (((word >> 15u) & 0x10001u) * 0x7fffu) ^ (0x80008000u ^ FLIP); }

fn nan_bits(word: u32) -> u32 { return (word & 0x7fff7fffu) + NAN_ROOM; }
fn any_nan(vector: vec4<u32>) -> bool {
    return ((nan_bits(vector.x) | nan_bits(vector.y) | nan_bits(vector.z) | nan_bits(vector.w)) & 0x80008000u) != 0u;
}
