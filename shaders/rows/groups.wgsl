// Groups by key: every workgroup leaves a partial of each.
//
// Expects: in params, `row_partials` is the number of partials of a group, `base` the position of the binding's element 0.
var<private> group: u32;  // among those here

fn row_of(workgroup: u32) -> u32 { return group; }
fn base_of(row: u32) -> vec2<u32> { return params.base; }
fn partial_of(workgroup: u32) -> u32 { return params.partial + group * params.row_partials + workgroup; }
