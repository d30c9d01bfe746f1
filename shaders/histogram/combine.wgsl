// Counts of a row's partials are added, COLUMNS_HERE columns of four bins in a workgroup. Neighbouring invocations read
// neighbouring columns of a partial; lane l of a column takes partials l, l + LANES_PER_SUM, … Fewer than 2^32 elements are
// counted, so no sum overflows. A line that ends in `for K` is repeated for each K.
//
// Expects: COLUMNS, SLOTS (the operator); COLUMNS_HERE, LANES_PER_SUM (the plan); column_place (histogram/place.wgsl);
// store_count; first_of, row_of (rows/*.wgsl).
//
// Memory: 16 bytes for each lane of a column.

@group(0) @binding(0) var<storage, read> partials: array<vec4<u32>>;
@group(0) @binding(2) var<uniform> params: Params;

const COLUMN_GROUPS = (COLUMNS + COLUMNS_HERE - 1u) / COLUMNS_HERE;

var<workgroup> parts: array<vec4<u32>, COLUMNS_HERE * LANES_PER_SUM>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(id: Invocation) {
    let row = row_of(id.workgroup.x / COLUMN_GROUPS);
    let column0 = id.workgroup.x % COLUMN_GROUPS * COLUMNS_HERE;
    // The last workgroup may have columns to spare: it adds the last column again, and stores nothing of it.
    let column = min(column0 + id.local % COLUMNS_HERE, COLUMNS - 1u);
    let lane = id.local / COLUMNS_HERE;
    let first = first_of(row);
    let end = first + params.count;
    if lane < LANES_PER_SUM {
        var sum = vec4<u32>();
        // All that a GPU's partials have are loaded before the first is added; one past the end counts as zeros.
        for (var p = first + lane; p < end; p += ROWS_AT_ONCE * LANES_PER_SUM) {
            let counts_K = load_column(column, p + K * LANES_PER_SUM, end);  // for K in 0..ROWS_AT_ONCE
            sum += counts_K;  // for K in 0..ROWS_AT_ONCE
        }
        parts[id.local] = sum;
    }
    for (var half = LANES_PER_SUM / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if lane < half { parts[id.local] += parts[id.local + half * COLUMNS_HERE]; }
    }
    workgroupBarrier();
    for (var c = id.local; c < 4u * COLUMNS_HERE; c += WORKGROUP_SIZE) {
        let bin = 4u * column0 + c;
        if bin < SLOTS { store_count(bin, parts[c / 4u][c % 4u], row); }
    }
}

fn load_column(j: u32, p: u32, end: u32) -> vec4<u32> {
    return select(vec4<u32>(), partials[column_place(j, min(p, end - 1u))], p < end);
}
