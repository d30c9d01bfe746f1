// One workgroup has read the whole row: its counts are the result.
fn settle_bins(state: State, id: Invocation, row: u32) {
    fold_replicas(0u, id);
    for (var bin = id.local; bin < SLOTS; bin += WORKGROUP_SIZE) { store_count(bin, bin_sum(bin).x, row); }
}
