// No bound beforehand: the first elements are all kept. What has been found already stays a bound, of ranks alone.
//
// Expects: WORST, NOWHERE, entry, rank_in; mine, bound (top/each.wgsl).
fn look(length: u32) {
    mine = entry(WORST, NOWHERE);
    bound = mine;
}

fn find_bound(wanted: u32) {
    bound = entry(rank_in(bound), NOWHERE);
    workgroupBarrier();
}
