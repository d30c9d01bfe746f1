// One workgroup has read the whole row: its bins become the result.
//
// Expects: store_columns (exact/settle_alone.wgsl or settle_together.wgsl).
fn settle_bins(state: State, id: Invocation, row: u32) {
    fold_replicas(flags_of(state), id);
    for (var j = id.local; j < COLUMNS; j += WORKGROUP_SIZE) { exact_columns[j] = column(j); }
    workgroupBarrier();
    store_columns(id, row);
}
