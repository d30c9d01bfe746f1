// Answers that take the accumulators of several folds, from those that the passes before left, in words. LANES invocations have a
// row: the first finishes, and all copy counts.
//
// Expects: finish_row (the operator: reads a row's accumulators from word `at` on and writes its answers), copy_counts, ROW_WORDS,
// LANES. In params, `count` is the number of rows.

@group(0) @binding(0) var<storage, read> accumulators: array<u32>;
@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(id: Invocation) {
    let row = (id.workgroup.x * WORKGROUP_SIZE + id.local) / LANES;
    if row >= params.count { return; }
    copy_counts(row * ROW_WORDS, row, id.local % LANES);
    if id.local % LANES == 0u { finish_row(row * ROW_WORDS, row); }
}
