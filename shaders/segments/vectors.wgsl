// A share of long segments: all lanes take one after another, VECTORS vectors of each lane at a time. A line that ends in `for K`
// is repeated for each K.
//
// Expects: State, Acc, init_state, accumulate, accumulate_vector, raw_of (the operator); load, element (load/*.wgsl);
// segments/part.wgsl; VECTORS (the plan).

// Elements, so many: whole vectors, and what lies around them one by one. The place of none may be anywhere.
fn taken_by_all(place: u32, count: u32, id: Invocation) -> Acc {
    var state = init_state(id);
    let first = select(0u, place, count > 0u);
    let begin = (first + PER_VECTOR - 1u) / PER_VECTOR;
    let end = max(begin, (first + count) / PER_VECTOR);
    for (var v = begin + id.lane; v < end; v += VECTORS * id.lanes) {
        let at_K = min(v + K * id.lanes, end - 1u);  // for K in 0..VECTORS
        let vector_K = load(at_K);  // for K in 0..VECTORS
        if v + K * id.lanes < end { state = accumulate_vector(state, vector_K, at_K * PER_VECTOR); }  // for K in 0..VECTORS
    }
    let before = min(begin * PER_VECTOR - first, count);
    let behind = count - before - (end - begin) * PER_VECTOR;
    for (var k = id.lane; k < before + behind; k += id.lanes) {
        let e = first + select(count - behind - before, 0u, k < before) + k;
        state = accumulate(state, element(e), e);
    }
    return clustered(raw_of(state, id), id.lanes);
}

// The answers of the segments that end in a share.
fn walk_long(share: Places, begun: bool, id: Invocation) {
    var coming = piece_of(share, share.start.segment);
    for (var t = share.start.segment; t < share.stop.segment; t++) {
        let part = coming;
        coming = piece_of(share, t + 1u);
        let acc = taken_by_all(part.first, part.count, id);
        if id.lane == 0u { answer(acc, t, share, begun, id); }
    }
}
