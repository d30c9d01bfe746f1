// The place behind so many elements and ends, by as many parts as a subgroup has lanes: each lane asks at the end of one.
//
// Expects: Span, Place (segments/share.wgsl), end_of (rows/segments.wgsl).
fn place_of(span: Span, done: u32, id: Invocation) -> Place {
    var low = max(done, span.elements) - span.elements;
    var high = min(done, span.ends);
    for (var step = 0u; (step < 32u) & (low < high); step++) {
        let part = (high - low + id.lanes - 1u) / id.lanes;
        let asked = low + (id.lane + 1u) * part - 1u;
        var before = false;
        if asked < high { before = end_of(span.start.segment + asked) < span.start.position + (done - asked); }
        let parts = subgroupAdd(select(0u, 1u, before));
        high = min(high, low + (parts + 1u) * part - 1u);
        low += parts * part;
    }
    return Place(span.start.position + (done - low), span.start.segment + low);
}
