// A share of short segments: each cluster of lanes, some power of two, takes one at a time, and all lanes together one that is much
// longer than others. A line that ends in `for K` is repeated for each K.
//
// Expects: State, init_state, accumulate, raw_of (the operator); element (load/*.wgsl); segments/part.wgsl; taken_by_all
// (segments/vectors.wgsl); ELEMENTS_MEAN, of a lane in a segment of the share's mean length, and ELEMENTS_MAX, at most (the plan).

// The elements from `first` on, so many, of which the n-th of `width` lanes takes every one that is `width` behind its last.
fn taken(first: u32, count: u32, n: u32, width: u32, id: Invocation) -> State {
    var state = init_state(id);
    for (var k = n; k < count; k += LOADS * width) {
        let at_K = min(k + K * width, count - 1u);  // for K in 0..LOADS
        let element_K = element(first + at_K);  // for K in 0..LOADS
        if k + K * width < count { state = accumulate(state, element_K, first + at_K); }  // for K in 0..LOADS
    }
    return state;
}

// The answers of the segments that end in a share, of so many elements on average.
fn walk_short(share: Places, mean: u32, begun: bool, id: Invocation) {
    let width = min(1u << firstLeadingBit(max(mean / ELEMENTS_MEAN, 1u)), id.lanes);
    let clusters = id.lanes / width;
    let rank = id.lane % width;
    let most = ELEMENTS_MAX * width;
    var some_longer = false;
    var coming = piece_of(share, share.start.segment + id.lane / width);
    for (var t = share.start.segment + id.lane / width; subgroupAny(t < share.stop.segment); t += clusters) {
        let part = coming;
        coming = piece_of(share, t + clusters);
        let longer = part.count > most;
        let acc = clustered(raw_of(taken(part.first, select(part.count, 0u, longer), rank, width, id), id), width);
        if (rank == 0u) & (t < share.stop.segment) & !longer { answer(acc, t, share, begun, id); }
        some_longer |= longer;
    }
    if subgroupAny(some_longer) { walk_longer(share, most, begun, id); }
}

// The answers of those that have more elements than `most`.
fn walk_longer(share: Places, most: u32, begun: bool, id: Invocation) {
    var left = elements_of(share);
    for (var t = share.start.segment; t < share.stop.segment; t += id.lanes) {
        let part = piece_of(share, t + id.lane);
        var longer = part.count > most;
        for (; subgroupAny(longer); ) {
            let lane = subgroupMin(select(id.lanes, id.lane, longer));
            // More than there are: offsets fall.
            let count = min(subgroupShuffle(part.count, lane), left);
            left -= count;
            let acc = taken_by_all(subgroupShuffle(part.first, lane), count, id);
            if id.lane == lane {
                answer(acc, t + lane, share, begun, id);
                longer = false;
            }
        }
    }
}
