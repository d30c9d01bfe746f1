// A sum of 64 bits that a workgroup shares, in two words; what a word loses when it wraps around is added to the other.
//
// Expects: cells, word_of (groups/cells.wgsl); lift, Acc (the operator: low, high).

// The rest, for the other word.
fn add_to_cell(cell: u32, bits: Bits) -> u32 {
    let amount = lift(bits, 0u);
    let before = atomicAdd(&cells[word_of(cell, 0u)], amount.low);
    return amount.high + select(0u, 1u, before + amount.low < before);
}

fn carry_to_cell(cell: u32, bits: Bits, left: u32) {
    if left != 0u { atomicAdd(&cells[word_of(cell, 1u)], left); }
}
