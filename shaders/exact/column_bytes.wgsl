// A bin for each byte of the first eight limbs and each sign: bin 4j + k holds what belongs k bytes into limb j, bin 32
// more holds the negative. The limbs above take carries only.
fn column_of_bytes(j: u32) -> vec3<u32> {
    var sum = widened(bin_sum(4u * j + 3u));
    for (var k = 3u; k > 0u; k--) {
        // One byte up, and this byte's bins.
        sum = vec3<u32>(sum.x << 8u, (sum.y << 8u) | (sum.x >> 24u), (sum.z << 8u) | (sum.y >> 24u));
        sum = add96(sum, widened(bin_sum(4u * j + k - 1u)));
    }
    return sum;
}
