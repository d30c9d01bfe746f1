// The columns of a row's partials are added by one workgroup, and the operator settles the sums.
// Lane l of a column takes partials l, l + LANES_PER_SUM, … A line that ends in `for K` is repeated for each K.
//
// Expects: COLUMNS, low_of, high_of, flags_of_column, settle_columns (the operator); column_place (bins/place.wgsl);
// bins/sums.wgsl with two sums for each column.

@group(0) @binding(0) var<storage, read> partials: array<vec4<u32>>;
@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(id: Invocation) {
    if id.local == 0u { atomicStore(&bins_flags, 0u); }
    workgroupBarrier();
    let row = row_of(id.workgroup.x);
    let first = first_of(row);
    let end = first + params.count;
    var flags = 0u;
    for (var j = id.local / LANES_PER_SUM; j < COLUMNS; j += WORKGROUP_SIZE / LANES_PER_SUM) {
        var low = vec2<u32>();   // the first words of column j
        var high = vec2<u32>();  // those above
        // All rows that a GPU's partials have are loaded before the first is added; one past the end counts as zeros.
        for (var p = first + id.local % LANES_PER_SUM; p < end; p += ROWS_AT_ONCE * LANES_PER_SUM) {
            let column_K = load_column(j, p + K * LANES_PER_SUM, end);  // for K in 0..ROWS_AT_ONCE
            low = add64(low, low_of(column_K));  // for K in 0..ROWS_AT_ONCE
            high = add64(high, high_of(column_K));  // for K in 0..ROWS_AT_ONCE
            flags |= flags_of_column(column_K);  // for K in 0..ROWS_AT_ONCE
        }
        reduce_sum(2u * j, low, id);
        reduce_sum(2u * j + 1u, high, id);
    }
    note_flags(flags);
    finish_sums(2u * COLUMNS, id);
    settle_columns(id, row);
}

fn load_column(j: u32, p: u32, end: u32) -> vec4<u32> {
    return select(vec4<u32>(), partials[column_place(j, min(p, end - 1u))], p < end);
}
