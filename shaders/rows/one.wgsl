// One row: the whole input. Every workgroup is a split of it.
fn row_of(workgroup: u32) -> u32 { return 0u; }
fn split_of(workgroup: u32) -> u32 { return workgroup; }
fn first_of(row: u32) -> u32 { return params.first; }
fn partial_of(workgroup: u32) -> u32 { return params.partial + workgroup; }

// Position of the binding's element 0.
fn base_of(row: u32) -> vec2<u32> { return params.base; }
