// The place of a column in the partials of all workgroups. The first columns of all lie together, then the second ones, as
// bins/combine.wgsl reads them; of many columns those of one workgroup, which writes them in one stretch. (An H200, `treefold bench
// 'histogram(range=0:1,bins=4096),…' --size 2^28`, with this changed, bins 4096, 6144, 7936 and 8192: 254, 282, 285, 270 µs so,
// 257, 290, 298, 283 otherwise; 3000, 751 columns: 258, 254.)
//
// Expects: COLUMNS (the operator); params.
fn column_place(j: u32, partial: u32) -> u32 {
    if COLUMNS > 1024u { return partial * COLUMNS + j; }
    return j * params.partials + partial;
}
