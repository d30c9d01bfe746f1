// The segments of a share, in rounds of as many as a subgroup has lanes: each cluster of lanes, some power of two, takes one at a
// time, as many lanes as the share's mean length asks for, and all lanes together one that is much longer. Each lane keeps one
// segment's accumulator, so that they finish and write together.
//
// Expects: raw_of, identity (the operator); segments/part.wgsl and taken.wgsl; ELEMENTS_MEAN, of a lane in a segment of the
// share's mean length, and ELEMENTS_MAX, at most (the plan).

// The lanes of a cluster, by the mean length.
fn width_of(share: Places, id: Invocation) -> u32 {
    // Of one length, segments that a share has in part make the mean a little less.
    let elements = elements_of(share);
    let mean = (elements + elements / 8u) / max(share.stop.segment - share.start.segment, 1u);
    return min(1u << firstLeadingBit(max(mean / ELEMENTS_MEAN, 1u)), id.lanes);
}

fn walk(share: Places, begun: bool, id: Invocation) {
    let width = width_of(share, id);
    let clusters = id.lanes / width;
    // Lane r of a cluster keeps what the cluster takes in step r of a round.
    let rank = id.lane % width;
    let mine = rank * clusters + id.lane / width;
    let most = select(0u, ELEMENTS_MAX * width, clusters > 1u);
    var kept = Kept(identity(), elements_of(share));
    var coming = piece_of(share, share.start.segment + mine);
    for (var first = share.start.segment; first <= share.stop.segment; first += id.lanes) {
        let part = coming;
        coming = piece_of(share, first + id.lanes + mine);
        let steps = select(0u, min(width, (share.stop.segment - first) / clusters + 1u), clusters > 1u);
        kept.acc = identity();
        for (var step = 0u; step < steps; step++) {
            let keeps = id.lane - rank + step;
            let count = subgroupShuffle(part.count, keeps);
            let state = taken(subgroupShuffle(part.first, keeps), select(count, 0u, count > most), rank, width, id);
            let acc = clustered(raw_of(state, id), width);
            if rank == step { kept.acc = acc; }
        }
        kept = with_longer(kept, part, most, id);
        if first + mine <= share.stop.segment { answer(kept.acc, first + mine, share, begun, id); }
    }
}
