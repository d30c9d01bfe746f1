// The columns of a row's partials are added, COLUMNS_HERE of them in a workgroup, and the operator settles the sums.
// Lane l of a column takes partials l, l + LANES_PER_SUM, … A line that ends in `for K` is repeated for each K.
//
// Expects: COLUMNS, COLUMNS_HERE, low_of, high_of, flags_of_column, settle_columns (the operator); column_place
// (bins/place.wgsl); bins/sums.wgsl with two sums for each column here.

@group(0) @binding(0) var<storage, read> partials: array<vec4<u32>>;
@group(0) @binding(2) var<uniform> params: Params;

const COLUMN_GROUPS = (COLUMNS + COLUMNS_HERE - 1u) / COLUMNS_HERE;
const RAGGED = COLUMNS % COLUMNS_HERE != 0u;  // the last workgroup has columns to spare

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(id: Invocation) {
    if id.local == 0u { atomicStore(&bins_flags, 0u); }
    workgroupBarrier();
    let row = row_of(id.workgroup.x / COLUMN_GROUPS);
    let column0 = id.workgroup.x % COLUMN_GROUPS * COLUMNS_HERE;
    let first = first_of(row);
    let end = first + params.count;
    var flags = 0u;
    for (var j = id.local / LANES_PER_SUM; j < COLUMNS_HERE; j += WORKGROUP_SIZE / LANES_PER_SUM) {
        var low = vec2<u32>();   // the first words of column j
        var high = vec2<u32>();  // those above
        // All rows that a GPU's partials have are loaded before the first is added; one past the end counts as zeros.
        for (var p = first + id.local % LANES_PER_SUM; p < end; p += ROWS_AT_ONCE * LANES_PER_SUM) {
            let column_K = load_column(column0 + j, p + K * LANES_PER_SUM, end);  // for K in 0..ROWS_AT_ONCE
            low = add64(low, low_of(column_K));  // for K in 0..ROWS_AT_ONCE
            high = add64(high, high_of(column_K));  // for K in 0..ROWS_AT_ONCE
            flags |= flags_of_column(column_K);  // for K in 0..ROWS_AT_ONCE
        }
        reduce_sum(2u * j, low, id);
        reduce_sum(2u * j + 1u, high, id);
    }
    note_flags(flags);
    finish_sums(2u * COLUMNS_HERE, id);
    settle_columns(column0, id, row);
}

fn load_column(j: u32, p: u32, end: u32) -> vec4<u32> {
    let here = (p < end) & (!RAGGED | (j < COLUMNS));
    return select(vec4<u32>(), partials[column_place(select(j, min(j, COLUMNS - 1u), RAGGED), min(p, end - 1u))], here);
}
