// The sums of columns that become one accumulator. A column of a partial has 96 bits and the flags.
//
// Memory: 16 bytes a column.

var<workgroup> exact_columns: array<vec3<u32>, COLUMNS>;

fn low_of(column: vec4<u32>) -> vec2<u32> { return vec2<u32>(column.x, 0u); }
fn high_of(column: vec4<u32>) -> vec2<u32> { return column.yz; }
fn flags_of_column(column: vec4<u32>) -> u32 { return column.w; }
