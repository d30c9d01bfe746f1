// The summed columns of a row's partials become the result.
//
// Expects: store_columns (exact/settle_alone.wgsl or settle_together.wgsl).
fn settle_columns(id: Invocation, row: u32) {
    for (var j = id.local; j < COLUMNS; j += WORKGROUP_SIZE) {
        exact_columns[j] = add96(vec3<u32>(bin_sum(2u * j), 0u), vec3<u32>(0u, bin_sum(2u * j + 1u)));
    }
    workgroupBarrier();
    store_columns(id, row);
}
