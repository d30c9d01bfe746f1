// Rows of one length, one behind another, each read by `splits` neighbouring workgroups.
fn row_of(workgroup: u32) -> u32 { return workgroup / params.splits; }
fn split_of(workgroup: u32) -> u32 { return workgroup % params.splits; }
fn first_of(row: u32) -> u32 { return params.first + row * params.stride; }
fn partial_of(workgroup: u32) -> u32 { return params.partial + workgroup; }

// Position of the binding's element 0, where positions count from the row's first element.
fn base_of(row: u32) -> vec2<u32> { return vec2<u32>(0u - first_of(row), select(0xffffffffu, 0u, first_of(row) == 0u)); }
