// Four of the sixteen neighbours that a vector has, a byte each: as words.
fn part_of(vector: vec4<u32>, k: u32) -> vec4<u32> {
    let word = vector[k];
    return vec4<u32>(wide_bits(word), wide_bits(word >> 8u), wide_bits(word >> 16u), wide_bits(word >> 24u));
}
