// A segment as far as a share has it, and its answer. A line that ends in `for K` is repeated for each K.
//
// Expects: combine, shuffle, placed, store (the operator); begin_of, end_of (ends/*.wgsl); Places (segments/share.wgsl);
// left_by (segments/team.wgsl).

// Elements, counted as the binding's.
struct Part {
    first: u32,
    count: u32,
}

// The part of a segment that ends in a share; nothing of others.
fn piece_of(share: Places, t: u32) -> Part {
    if t >= share.stop.segment { return Part(0u, 0u); }
    let first = max(begin_of(t), share.start.position);
    return Part(first - params.base.x, clamp(end_of(t), first, max(first, share.stop.position)) - first);
}

fn elements_of(share: Places) -> u32 { return share.stop.position - share.start.position; }

// The accumulator of a cluster of lanes, in all of them.
fn clustered(mine: Acc, width: u32) -> Acc {
    var acc = mine;
    if (1u << K) < width { acc = combine(acc, shuffle(acc, 1u << K)); }  // for K in 0..BUTTERFLY
    return acc;
}

// The destination of a segment's accumulator: an answer, or the head that its share leaves.
fn answer(acc: Acc, t: u32, share: Places, begun: bool, id: Invocation) {
    let whole = placed(acc, t);
    if begun & (t == share.start.segment) { left_by[id.subgroup].head = whole; } else { store(whole, t); }
}
