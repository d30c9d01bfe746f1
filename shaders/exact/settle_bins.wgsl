// One workgroup has read the whole row: its bins become the result.
fn settle_bins(state: State, id: Invocation, row: u32) {
    fold_replicas(flags_of(state), id);
    for (var j = id.local; j < COLUMNS; j += WORKGROUP_SIZE) { exact_columns[j] = column(j); }
    workgroupBarrier();
    let acc = carry_columns(id);
    if id.local == 0u { store(acc, row); }
}
