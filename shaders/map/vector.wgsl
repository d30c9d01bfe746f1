// The values that a map makes of four neighbours.
fn map_vector(vector: vec4<u32>, index: u32) -> vec4<u32> {
    let front = vec2<u32>(map_bits(vector.x, index), map_bits(vector.y, index + 1u));
    return vec4<u32>(front, map_bits(vector.z, index + 2u), map_bits(vector.w, index + 3u));
}
