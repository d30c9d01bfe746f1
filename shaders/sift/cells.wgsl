// An element that does not pass adds nothing to a cell, and leaves nothing to do.
fn add_to_cell(cell: u32, bits: Bits) -> u32 {
    if keeps(bits) { return kept_add_to_cell(cell, bits); }
    return 0u;
}
