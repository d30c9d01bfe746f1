// A column of amounts without their lower 16 bits.
fn column(j: u32) -> vec3<u32> {
    let sum = column_of_bytes(j);
    return vec3<u32>(sum.x << 16u, (sum.y << 16u) | (sum.x >> 16u), (sum.z << 16u) | (sum.y >> 16u));
}
