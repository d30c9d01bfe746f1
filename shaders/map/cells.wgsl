// The value that a map makes of an element, added to a cell.
fn add_to_cell(cell: u32, bits: Bits) -> u32 { return made_add_to_cell(cell, map_bits(bits, 0u)); }
fn carry_to_cell(cell: u32, bits: Bits, left: u32) { made_carry_to_cell(cell, map_bits(bits, 0u), left); }
