// The places behind so many elements and ends, both at once: each lane asks whether one end lies before. First they ask about a
// guess, as if all segments were as long, and at distances from it that double; then they divide what is left into equal parts.
//
// Expects: segments/share.wgsl.

// The end that a lane asks about, of those from `low` on, in rising order.
fn asked_by(lane: u32, guess: vec2<u32>, near: bool, low: vec2<u32>, part: vec2<u32>, id: Invocation) -> vec2<u32> {
    if !near { return low + (lane + 1u) * part - 1u; }
    let middle = id.lanes / 2u;
    if lane < middle { return guess - min(guess, vec2<u32>(1u << min(middle - 1u - lane, 31u))); }
    return guess + min(~guess, vec2<u32>(select(0u, 1u << min(lane - middle - 1u, 31u), lane > middle)));
}

fn places_of(span: Span, done: vec2<u32>, id: Invocation) -> Places {
    var low = fewest_ends(span, done);
    var high = most_ends(span, done);
    let guess = vec2<u32>(f32(span.ends) * (vec2<f32>(done) / f32(max(items_in(span), 1u))));
    for (var step = 0u; (step < 33u) & any(low < high); step++) {
        let open = low < high;
        let part = (high - low + id.lanes - 1u) / id.lanes;
        let asked = asked_by(id.lane, guess, step == 0u, low, part, id);
        var before = asked < low;
        if open.x & !before.x & (asked.x < high.x) { before.x = is_done(span, asked.x, done.x); }
        if open.y & !before.y & (asked.y < high.y) { before.y = is_done(span, asked.y, done.y); }
        let count = subgroupAdd(select(vec2<u32>(0u), vec2<u32>(1u), before));
        let last = vec2<u32>(
            asked_by(count.x - 1u, guess, step == 0u, low, part, id).x,
            asked_by(count.y - 1u, guess, step == 0u, low, part, id).y,
        );
        let next = vec2<u32>(
            asked_by(count.x, guess, step == 0u, low, part, id).x,
            asked_by(count.y, guess, step == 0u, low, part, id).y,
        );
        // Offsets that fall may contradict each other: then there is nothing left.
        let begin = select(low, clamp(last + 1u, low, max(low, high)), open & (count > vec2<u32>(0u)));
        high = select(high, max(begin, min(high, next)), open & (count < vec2<u32>(id.lanes)));
        low = begin;
    }
    return Places(place_behind(span, low.x, done.x), place_behind(span, low.y, done.y));
}
