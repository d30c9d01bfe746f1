// The narrow sum of limbs that have been carried.
//
// Expects: exact/settle_together.wgsl.
fn upper_limbs() -> narrow_Acc {
    let negative = exact_limbs[LIMBS - 1u] >> 31u == 1u;
    // The highest limb that is not just the sign; one above it has that, and four below are more than roundings ask for.
    var highest = 0u;
    for (var w = 0u; w < AHEAD; w++) {
        let told = select(atomicLoad(&ahead[w].not_zero), atomicLoad(&ahead[w].not_ones), negative);
        highest = select(highest, 32u * w + firstLeadingBit(told), told != 0u);
    }
    let base = min(max(highest, narrow_LIMBS - 2u) - (narrow_LIMBS - 2u), LIMBS - narrow_LIMBS);
    var acc = narrow_Acc(atomicLoad(&bins_flags), base, array<u32, narrow_LIMBS>());
    for (var i = 0u; i < narrow_LIMBS; i++) { acc.limbs[i] = exact_limbs[base + i]; }
    for (var w = 0u; 32u * w < base; w++) {
        let here = min(base - 32u * w, 32u);
        if (atomicLoad(&ahead[w].not_zero) & (0xffffffffu >> (32u - here))) != 0u { acc.limbs[0] |= 1u; }
    }
    return acc;
}
