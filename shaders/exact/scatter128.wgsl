// Numbers of up to 128 bits at any place, into one bin for each limb and sign, as exact/scatter.wgsl has them.

// Adds words·2^at, negative or not; `at` counts bits from the unit. The last digits of whole numbers, and of their like, are 0.
fn scatter128(words: vec4<u32>, at: u32, negative: bool, replica: u32) {
    let bin = at / 32u + select(0u, LIMBS, negative);
    let left = at % 32u;
    let over = (words >> vec4<u32>(1u)) >> vec4<u32>(31u - left);
    let moved = (words << vec4<u32>(left)) | vec4<u32>(0u, over.xyz);
    if moved.x != 0u { bin_add(bin, replica, moved.x); }
    if moved.y != 0u { bin_add(bin + 1u, replica, moved.y); }
    bin_add(bin + 2u, replica, moved.z);
    bin_add(bin + 3u, replica, moved.w);
    if over.w != 0u { bin_add(bin + 4u, replica, over.w); }
}
