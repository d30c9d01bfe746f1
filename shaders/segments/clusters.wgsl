// The segments that end in a share: each cluster of lanes, some power of two, takes one at a time, as many as the share's mean
// length asks for, and all lanes together one that is much longer than others. A line that ends in `for K` is repeated for each K.
//
// Expects: State, Acc, init_state, accumulate, accumulate_vector, raw_of (the operator); load, element (load/*.wgsl);
// segments/part.wgsl; ELEMENTS_MEAN, of a lane in a segment of the share's mean length, and ELEMENTS_MAX, at most (the plan).

// So many elements, of which the n-th of `width` lanes takes every vector that is `width` behind its last, and of what lies around
// whole vectors likewise. The place of none may be anywhere.
fn taken(place: u32, count: u32, n: u32, width: u32, id: Invocation) -> State {
    var state = init_state(id);
    let first = select(0u, place, count > 0u);
    let begin = (first + PER_VECTOR - 1u) / PER_VECTOR;
    let end = max(begin, (first + count) / PER_VECTOR);
    for (var v = begin + n; v < end; v += LOADS * width) {
        let at_K = v + K * width;  // for K in 0..LOADS
        let vector_K = load(min(at_K, end - 1u));  // for K in 0..LOADS
        if at_K < end { state = accumulate_vector(state, vector_K, at_K * PER_VECTOR); }  // for K in 0..LOADS
    }
    let before = min(begin * PER_VECTOR - first, count);
    let behind = count - before - (end - begin) * PER_VECTOR;
    for (var k = n; k < before + behind; k += width) {
        let e = first + select(count - behind - before, 0u, k < before) + k;
        state = accumulate(state, element(e), e);
    }
    return state;
}

// The answers, where a segment has so many elements on average.
fn walk(share: Places, mean: u32, begun: bool, id: Invocation) {
    let width = min(1u << firstLeadingBit(max(mean / ELEMENTS_MEAN, 1u)), id.lanes);
    let clusters = id.lanes / width;
    let rank = id.lane % width;
    let most = select(0xffffffffu, ELEMENTS_MAX * width, clusters > 1u);
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

// Elements by all lanes.
fn taken_by_all(first: u32, count: u32, id: Invocation) -> Acc {
    return clustered(raw_of(taken(first, count, id.lane, id.lanes, id), id), id.lanes);
}

// The answers of segments that have more elements than `most`.
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
