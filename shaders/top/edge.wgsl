// The rank of the last of the best candidates, if so many are wanted, found digit by digit from the highest bit in which two differ
// until all that have a digit are wanted.
//
// Expects: WORKGROUP_SIZE; BITS, Bits, WORDS, bits_apart, without_low, with_low, digit, with_digit (top/ranks.wgsl); counts, found,
// clear_counts, find_digit (top/digit.wgsl); candidate, the rank of one.
var<private> edge: Bits;

// The highest bit in which one differs from the first, plus one.
fn find_bits(candidates: u32, local: u32) -> u32 {
    clear_counts(local);
    for (var c = local; c < candidates; c += WORKGROUP_SIZE) {
        atomicStore(&counts[bits_apart(candidate(c), edge)], 1u);
    }
    workgroupBarrier();
    if local == 0u {
        var bits = 32u * WORDS;
        while (bits > 0u) && (atomicLoad(&counts[bits]) == 0u) { bits--; }
        found.z = bits;
    }
    return workgroupUniformLoad(&found).z;
}

// Leaves how many with that rank are wanted; none has it where all of a higher digit are.
fn find_edge(candidates: u32, wanted: u32, local: u32) -> u32 {
    edge = candidate(0u);
    var left = wanted;
    var bits = find_bits(candidates, local);
    edge = without_low(edge, bits);
    while bits > 0u {
        let shift = max(bits, BITS) - BITS;
        clear_counts(local);
        for (var c = local; c < candidates; c += WORKGROUP_SIZE) {
            let own = candidate(c);
            if bits_apart(own, edge) <= bits { atomicAdd(&counts[digit(own, shift)], 1u); }
        }
        find_digit(shift, left, local);
        let here = workgroupUniformLoad(&found);
        edge = with_digit(edge, shift, here.x);
        left -= here.y;
        bits = here.z;
        if bits == 0u { edge = with_low(edge, shift); }
    }
    return left;
}
