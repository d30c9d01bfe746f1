// The place of a column in the partials of all workgroups. The first columns of all lie together, then the second ones, as
// bins/combine.wgsl reads them; of many columns those of one workgroup, which writes them in one stretch. (An H100, 2^28 f32 in
// 8192 bins, 2049 columns: 379 µs so, 397 otherwise; in 4096: 372, 369.)
//
// Expects: COLUMNS (the operator); params.
fn column_place(j: u32, partial: u32) -> u32 {
    if COLUMNS > 2048u { return partial * COLUMNS + j; }
    return j * params.partials + partial;
}
