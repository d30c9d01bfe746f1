// A long list of one team: cut by digits of ranks, and put in order in the end.
//
// Expects: ROOM, TEAM, EACH (ROOM / TEAM); edge, find_edge (top/edge.wgsl); sort (top/sort.wgsl); all lists have (top/each.wgsl).

fn candidate(i: u32) -> Bits { return rank_in(listed(i)); }

// Forgets what comes behind as many as are wanted. All that are as good as the last of them stay.
fn cut(wanted: u32, local: u32) {
    workgroupBarrier();
    let some = min(atomicLoad(&within[0]), ROOM);
    _ = find_edge(some, min(some, wanted), local);
    let own_K = listed(lane + K * TEAM);  // for K in 0..EACH
    let stays_K = (lane + K * TEAM < some) & !lower(edge, rank_in(own_K));  // for K in 0..EACH
    workgroupBarrier();
    if local == 0u { atomicStore(&within[0], 0u); }
    workgroupBarrier();
    if stays_K { list(atomicAdd(&within[0], 1u), own_K); }  // for K in 0..EACH
    // What comes later has a higher place.
    if some >= wanted { bound = entry(edge, 0u); }
}

fn finish(wanted: u32, local: u32) {
    cut(wanted, local);
    workgroupBarrier();
    sort(atomicLoad(&within[0]), local);
}
