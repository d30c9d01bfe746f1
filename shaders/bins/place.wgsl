// The place of a column in the partials of all workgroups. The first columns of all lie together, then the second ones, as
// bins/combine.wgsl reads them.
//
// Expects: params.
fn column_place(j: u32, partial: u32) -> u32 { return j * params.partials + partial; }
