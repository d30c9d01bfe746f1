// A workgroup's bins as a partial: COLUMNS columns of four words, not carried, for the combine.wgsl of bins/ or histogram/.
//
// Expects: column_of_bins, COLUMNS (the operator); store_column; column_place (place.wgsl of bins/ or histogram/); partial_of
// (rows/*.wgsl).

fn flush(state: State, id: Invocation) {
    fold_replicas(flags_of(state), id);
    let partial = partial_of(id.workgroup.x);
    for (var j = id.local; j < COLUMNS; j += WORKGROUP_SIZE) { store_column(column_place(j, partial), column_of_bins(j)); }
}
