// Rows of one length, one behind another, each read by `splits` neighbouring workgroups.
fn row_of(workgroup: u32) -> u32 { return workgroup / params.splits; }
fn split_of(workgroup: u32) -> u32 { return workgroup % params.splits; }
fn first_of(row: u32) -> u32 { return params.first + row * params.stride; }
fn partial_of(workgroup: u32) -> u32 { return params.partial + workgroup; }

// Position of the binding's element 0, where the row's first element has the position `base`.
fn base_of(row: u32) -> vec2<u32> {
    return params.base - vec2<u32>(first_of(row), select(0u, 1u, first_of(row) > params.base.x));
}
