// A workgroup's bins as a partial: COLUMNS columns of four words, not carried, for bins/combine.wgsl. The first columns of all
// workgroups lie together, then the second ones.
//
// Expects: column_of_bins, COLUMNS (the operator); store_column; partial_of (rows/*.wgsl).

fn flush(state: State, id: Invocation) {
    fold_replicas(flags_of(state), id);
    let partial = partial_of(id.workgroup.x);
    for (var j = id.local; j < COLUMNS; j += WORKGROUP_SIZE) { store_column(j * params.partials + partial, column_of_bins(j)); }
}
