// A column of a partial: 96 bits of the sum, and the flags of the workgroup.
//
// Expects: column (exact/column_*.wgsl).
fn column_of_bins(j: u32) -> vec4<u32> { return vec4<u32>(column(j), atomicLoad(&bins_flags)); }
