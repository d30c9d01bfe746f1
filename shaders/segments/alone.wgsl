// The segments of a share, in rounds of as many as a subgroup has lanes: each lane takes one, and all lanes together one that is
// much longer.
//
// Expects: raw_of, identity (the operator); segments/part.wgsl and taken.wgsl; ELEMENTS_MAX, that a lane takes at most (the plan).

fn walk(share: Places, begun: bool, id: Invocation) {
    var kept = Kept(identity(), elements_of(share));
    for (var first = share.start.segment; first <= share.stop.segment; first += id.lanes) {
        let t = first + id.lane;
        let part = piece_of(share, t);
        let count = select(part.count, 0u, part.count > ELEMENTS_MAX);
        kept.acc = raw_of(taken(part.first, count, 0u, 1u, id), id);
        kept = with_longer(kept, part, ELEMENTS_MAX, id);
        if t <= share.stop.segment { answer(kept.acc, t, share, begun, id); }
    }
}
