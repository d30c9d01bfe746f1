// The place behind so many elements and ends, by halves: each invocation for itself.
//
// Expects: Span, Place (segments/share.wgsl), end_of (rows/segments.wgsl).
fn place_of(span: Span, done: u32, id: Invocation) -> Place {
    var low = max(done, span.elements) - span.elements;
    var high = min(done, span.ends);
    for (var step = 0u; (step < 32u) & (low < high); step++) {
        let middle = low + (high - low) / 2u;
        if end_of(span.start.segment + middle) < span.start.position + (done - middle) { low = middle + 1u; } else { high = middle; }
    }
    return Place(span.start.position + (done - low), span.start.segment + low);
}
