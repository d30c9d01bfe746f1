// The workgroups of a row and a split, SLICES neighbours: all read the same elements, each for its own slice of the bins.
//
// Expects: the functions of the file before, behind `slice_`, by whose count these neighbours are one workgroup.
fn slice_of(workgroup: u32) -> u32 { return workgroup % SLICES; }
fn row_of(workgroup: u32) -> u32 { return slice_row_of(workgroup / SLICES); }
fn split_of(workgroup: u32) -> u32 { return slice_split_of(workgroup / SLICES); }
fn partial_of(workgroup: u32) -> u32 { return slice_partial_of(workgroup / SLICES); }
