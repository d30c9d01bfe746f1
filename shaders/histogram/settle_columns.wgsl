// The summed columns of a row's partials are the result.
fn settle_columns(column0: u32, id: Invocation, row: u32) {
    for (var c = id.local; c < 4u * COLUMNS_HERE; c += WORKGROUP_SIZE) {
        let pair = bin_sum(c / 2u);
        let bin = 4u * column0 + c;
        if bin < SLOTS { store_count(bin, select(pair.x, pair.y, c % 2u == 1u), row); }
    }
}
