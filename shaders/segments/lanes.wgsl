// Lanes of a subgroup, of which some have ends: how many lie below, how far the nearest is, and the steps of a segmented scan.
//
// Expects: Acc, combine, shuffle, shuffle_up (the operator); LANES_MIN.

fn butterfly(mine: Acc, lanes: u32) -> Acc {
    var acc = mine;
    if ((1u << K) < LANES_MIN) | ((1u << K) < lanes) { acc = combine(acc, shuffle(acc, 1u << K)); }  // for K in 0..BUTTERFLY
    return acc;
}

// Lanes of a ballot below one of them, and in all.
fn lanes_below(ballot: vec4<u32>, lane: u32, lanes: u32) -> vec2<u32> {
    if lanes <= 32u { return vec2<u32>(countOneBits(ballot.x & ((1u << lane) - 1u)), countOneBits(ballot.x)); }
    let counts = countOneBits(ballot);
    let word = lane / 32u;
    var below = countOneBits(ballot[word] & ((1u << (lane % 32u)) - 1u));
    if word > 0u { below += counts.x; }
    if word > 1u { below += counts.y; }
    if word > 2u { below += counts.z; }
    return vec2<u32>(below, counts.x + counts.y + counts.z + counts.w);
}

// Lanes back to the nearest one that has an end, this lane included; all of them, where none has.
fn lanes_back(heads: vec4<u32>, lane: u32, lanes: u32) -> u32 {
    if lanes <= 32u {
        let behind = heads.x & (0xffffffffu >> (31u - lane));
        return lane - select(0u, firstLeadingBit(behind), behind != 0u);
    }
    var word = lane / 32u;
    var behind = heads[word] & (0xffffffffu >> (31u - lane % 32u));
    for (; (behind == 0u) & (word > 0u); ) {
        word--;
        behind = heads[word];
    }
    return lane - select(0u, 32u * word + firstLeadingBit(behind), behind != 0u);
}

// One step of the scan: a lane takes what lies so many lanes back, where no end lies between.
fn scanned(acc: Acc, distance: u32, back: u32) -> Acc {
    let other = shuffle_up(acc, distance);
    if back >= distance { return combine(other, acc); }
    return acc;
}
