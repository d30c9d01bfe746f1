// The places behind so many elements and ends, both at once, by halves: each invocation for itself.
//
// Expects: segments/share.wgsl.
fn places_of(span: Span, done: vec2<u32>, id: Invocation) -> Places {
    var low = fewest_ends(span, done);
    var high = most_ends(span, done);
    for (var step = 0u; (step < 32u) & any(low < high); step++) {
        let open = low < high;
        let middle = low + (high - low) / 2u;
        var before = vec2<bool>();
        if open.x { before.x = is_done(span, middle.x, done.x); }
        if open.y { before.y = is_done(span, middle.y, done.y); }
        low = select(low, middle + 1u, open & before);
        high = select(high, middle, open & !before);
    }
    return Places(place_behind(span, low.x, done.x), place_behind(span, low.y, done.y));
}
