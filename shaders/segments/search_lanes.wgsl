// The places behind so many elements and ends, both at once, by as many parts as a subgroup has lanes: each lane asks at the end
// of one.
//
// Expects: segments/share.wgsl.
fn places_of(span: Span, done: vec2<u32>, id: Invocation) -> Places {
    var low = fewest_ends(span, done);
    var high = most_ends(span, done);
    for (var step = 0u; (step < 32u) & any(low < high); step++) {
        let open = low < high;
        let part = (high - low + id.lanes - 1u) / id.lanes;
        let asked = low + (id.lane + 1u) * part - 1u;
        let asks = open & (asked < high);
        var before = vec2<bool>();
        if asks.x { before.x = is_done(span, asked.x, done.x); }
        if asks.y { before.y = is_done(span, asked.y, done.y); }
        let parts = subgroupAdd(select(vec2<u32>(0u), vec2<u32>(1u), before));
        high = select(high, min(high, low + (parts + 1u) * part - 1u), open);
        low += parts * part;
    }
    return Places(place_behind(span, low.x, done.x), place_behind(span, low.y, done.y));
}
