// A segment as far as a share has it, and its answer. A line that ends in `for K` is repeated for each K.
//
// Expects: combine, shuffle, placed, store (the operator); begin_of, end_of (ends/*.wgsl); Places (segments/share.wgsl);
// left_by, NONE (segments/team.wgsl, left.wgsl).

// Elements, counted as the binding's.
struct Part {
    first: u32,
    count: u32,
}

// The part of a segment that a share has; nothing of those behind the one that it leaves open.
fn piece_of(share: Places, t: u32) -> Part {
    if t > share.stop.segment { return Part(0u, 0u); }
    let first = max(begin_of(t), share.start.position);
    var end = share.stop.position;
    if t < share.stop.segment { end = min(end_of(t), end); }
    return Part(first - params.base.x, max(end, first) - first);
}

fn elements_of(share: Places) -> u32 { return share.stop.position - share.start.position; }

// The accumulator of a cluster of lanes, in all of them.
fn clustered(mine: Acc, width: u32) -> Acc {
    var acc = mine;
    if (1u << K) < width { acc = combine(acc, shuffle(acc, 1u << K)); }  // for K in 0..BUTTERFLY
    return acc;
}

// The destination of a segment's accumulator: an answer, or the head or the tail that its share leaves.
fn answer(acc: Acc, t: u32, share: Places, begun: bool, id: Invocation) {
    let whole = placed(acc, t);
    let ended = share.stop.segment > share.start.segment;
    if t == share.stop.segment {
        left_by[id.subgroup].tail = whole;
        left_by[id.subgroup].segment = select(NONE, share.start.segment, begun & ended);
        left_by[id.subgroup].ended = select(0u, 1u, ended);
    } else if begun & (t == share.start.segment) {
        left_by[id.subgroup].head = whole;
    } else {
        store(whole, t);
    }
}
