// A workgroup's bins as a partial: COLUMNS columns of four words, not carried, for bins/combine.wgsl.
//
// Expects: column_of_bins, COLUMNS (the operator); store_column; column_place (bins/place.wgsl); partial_of (rows/*.wgsl).

fn flush(state: State, id: Invocation) {
    fold_replicas(flags_of(state), id);
    let partial = partial_of(id.workgroup.x);
    for (var j = id.local; j < COLUMNS; j += WORKGROUP_SIZE) { store_column(column_place(j, partial), column_of_bins(j)); }
}
