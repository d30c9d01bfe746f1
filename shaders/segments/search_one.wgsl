// The place behind so many elements and ends, by halves: each invocation for itself.
//
// Expects: segments/share.wgsl.
fn place_of(span: Span, done: u32, id: Invocation) -> Place {
    var low = (max(done, span.elements) - span.elements) / params.vectors;
    var high = min(done / params.vectors, span.ends);
    for (var step = 0u; (step < 32u) & (low < high); step++) {
        let middle = low + (high - low) / 2u;
        if is_done(span, middle, done) { low = middle + 1u; } else { high = middle; }
    }
    return place_behind(span, low, done);
}
