// A short list in order: each candidate goes behind as many as come before it, and is forgotten where that is past what is wanted.
//
// Expects: ROOM, a multiple of four, TEAM, KEPT; all lists have (top/each.wgsl).
var<workgroup> best: array<Entry, KEPT * TEAMS>;

fn cut(wanted: u32, local: u32) {
    workgroupBarrier();
    let some = min(atomicLoad(&within[team]), ROOM);
    for (var c = lane; c < some; c += TEAM) {
        let own = listed(slot(c));
        var to = 0u;
        for (var j = 0u; j < some; j += 4u) {
            let other_K = listed(slot(j + K));  // for K in 0..FOUR
            to += select(0u, 1u, (j + K < some) & before(other_K, own));  // for K in 0..FOUR
        }
        if to < wanted { best[slot(to)] = own; }
    }
    workgroupBarrier();
    let left = min(some, wanted);
    for (var c = lane; c < left; c += TEAM) { list(slot(c), best[slot(c)]); }
    if lane == 0u { atomicStore(&within[team], left); }
    workgroupBarrier();
    if (wanted > 0u) & (some >= wanted) { bound = best[slot(wanted - 1u)]; }
}

fn finish(wanted: u32, local: u32) { cut(wanted, local); }
