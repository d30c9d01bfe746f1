// The place behind so many elements and ends, by as many parts as a subgroup has lanes: each lane asks at the end of one.
//
// Expects: segments/share.wgsl.
fn place_of(span: Span, done: u32, id: Invocation) -> Place {
    var low = (max(done, span.elements) - span.elements) / params.vectors;
    var high = min(done / params.vectors, span.ends);
    for (var step = 0u; (step < 32u) & (low < high); step++) {
        let part = (high - low + id.lanes - 1u) / id.lanes;
        let asked = low + (id.lane + 1u) * part - 1u;
        var before = false;
        if asked < high { before = is_done(span, asked, done); }
        let parts = subgroupAdd(select(0u, 1u, before));
        high = min(high, low + (parts + 1u) * part - 1u);
        low += parts * part;
    }
    return place_behind(span, low, done);
}
