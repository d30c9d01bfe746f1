// Groups have as many elements as were counted for each.
//
// Expects: in params, `rows` is the number of the first group here.
@group(0) @binding(4) var<storage, read> totals: array<u32>;

fn total_of(row: u32) -> vec2<u32> { return vec2<u32>(totals[params.rows + row], 0u); }
