// A column of a partial has the counts of four bins. Fewer than 2^32 elements are counted, so no half carries into the other.
fn low_of(column: vec4<u32>) -> vec2<u32> { return column.xy; }
fn high_of(column: vec4<u32>) -> vec2<u32> { return column.zw; }
fn flags_of_column(column: vec4<u32>) -> u32 { return 0u; }
