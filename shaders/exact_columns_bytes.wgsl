// A bin for each byte of the first eight limbs and each sign: bin 4j + k holds what belongs k bytes into limb j, bin 32
// more holds the negative. The limbs above take carries only.

fn column(j: u32) -> vec3<u32> {
    var sum = vec3<u32>();
    for (var k = 4u; k > 0u; k--) {
        let bin = min(4u * j + k - 1u, 31u);
        // One byte up, and this byte's bins.
        sum = vec3<u32>(sum.x << 8u, (sum.y << 8u) | (sum.x >> 24u), (sum.z << 8u) | (sum.y >> 24u));
        sum = add96(sum, subtract96(vec3<u32>(held_in(bin), 0u), vec3<u32>(held_in(32u + bin), 0u)));
    }
    return select(sum, vec3<u32>(), j >= 8u);
}
