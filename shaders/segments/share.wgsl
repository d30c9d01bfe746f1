// Equal shares of elements and ends of segments, merged into one list: an end stands before the element at its position. So no
// length of segments is slow, and neither are empty ones. Source: merge path (Merrill and Garland, Merge-based SpMV).
//
// Expects: Carry, NONE (segments/left.wgsl); begin_of, end_of (ends/*.wgsl); places_of (segments/search_*.wgsl). In params,
// `first` and `count` are the window of the binding, `base` the position of its element 0, `vectors` the items of an end.

@group(0) @binding(5) var<storage, read_write> carries: array<Carry>;

// A place in the list: so many elements, counted as positions, and so many ends lie before it.
struct Place {
    position: u32,
    segment: u32,
}

struct Places { start: Place, stop: Place }
// The part of a window.
struct Span {
    start: Place,
    elements: u32,
    ends: u32,
}

// Segments that end at a position or before it.
fn ends_until(position: u32) -> u32 {
    var low = 0u;
    var high = segments_here();
    // Never more than half of it is left, which compilers do not know: they unroll what they can count.
    for (var left = high; left > 0u; left = min(left / 2u, high - low)) {
        let middle = low + (high - low) / 2u;
        if end_of(middle) <= position { low = middle + 1u; } else { high = middle; }
    }
    return low;
}

fn span_of_window() -> Span {
    let begin = begin_of(0u);
    let end = max(begin, begin_of(segments_here()));
    let low = params.base.x + params.first;
    let high = low + params.count;
    let first = clamp(low, begin, end);
    let last = clamp(high, begin, end);
    var until = segments_here();
    var before = 0u;
    if low > 0u { before = ends_until(first); }
    if high < params.total.x { until = ends_until(last); }
    return Span(Place(first, before), last - first, max(until, before) - before);
}

// Items: an element is one, an end as many as it is worth elements.
fn items_in(span: Span) -> u32 { return span.elements + params.vectors * span.ends; }
fn items_of(span: Span, shares: u32) -> u32 { return (items_in(span) + shares - 1u) / shares; }

// The fewest ends that lie before a place at which so many items are done, and the most.
fn fewest_ends(span: Span, done: vec2<u32>) -> vec2<u32> {
    return (max(done, vec2<u32>(span.elements)) - span.elements) / params.vectors;
}
fn most_ends(span: Span, done: vec2<u32>) -> vec2<u32> { return min(done / params.vectors, vec2<u32>(span.ends)); }

// The place behind so many ends where so many items are done: no further than the next end.
fn place_behind(span: Span, ends: u32, done: u32) -> Place {
    var elements = min(done - params.vectors * ends, span.elements);
    if ends < span.ends { elements = min(elements, end_of(span.start.segment + ends) - span.start.position); }
    return Place(span.start.position + elements, span.start.segment + ends);
}

// Whether an end is among so many items.
fn is_done(span: Span, end: u32, done: u32) -> bool {
    return (end_of(span.start.segment + end) - span.start.position) + params.vectors * (end + 1u) <= done;
}

// The places between which the n-th of so many shares lies.
fn share_of(span: Span, share: u32, shares: u32, id: Invocation) -> Places {
    let done = min(vec2<u32>(share, share + 1u) * items_of(span, shares), vec2<u32>(items_in(span)));
    return places_of(span, done, id);
}

// Whether a share begins within a segment.
fn is_begun(at: Place) -> bool {
    return (at.segment < segments_here()) & (begin_of(min(at.segment, max(segments_here(), 1u) - 1u)) < at.position);
}
