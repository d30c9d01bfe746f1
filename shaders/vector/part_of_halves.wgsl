// Four of the eight neighbours that a vector has, half a word each: as words.
fn part_of(vector: vec4<u32>, k: u32) -> vec4<u32> {
    let pair = select(vector.xy, vector.zw, k == 1u);
    return vec4<u32>(wide_bits(pair.x), wide_bits(pair.x >> 16u), wide_bits(pair.y), wide_bits(pair.y >> 16u));
}
