// The place of a column in the partials of all workgroups: those of one workgroup, which writes them, lie in one stretch.
//
// Expects: COLUMNS (the operator).
fn column_place(j: u32, partial: u32) -> u32 { return partial * COLUMNS + j; }
