// The lowest ranks from below and from above that a workgroup shares.
//
// Expects: cells, word_of (groups/cells.wgsl); lift, Acc (the operator: low, high).

fn add_to_cell(cell: u32, bits: Bits) -> u32 {
    let ranks = lift(bits, 0u);
    atomicMin(&cells[word_of(cell, 0u)], ranks.low);
    atomicMin(&cells[word_of(cell, 1u)], ranks.high);
    return 0u;
}
