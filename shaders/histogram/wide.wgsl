// The bins of elements of 64 bits. Of equal bins one is guessed in f32; beside an edge the keys of both edges say whether it is
// right; else the last edge is searched that is not above the element, in steps that halve. Keys are integers: counts are the same
// everywhere.
//
// Expects: key, is_nan (element/*.wgsl), less64; place_of, a place in bins, counted from the lowest edge, and off, by how much that
// may be wrong (histogram/place_f64.wgsl, histogram/place_whole.wgsl); entry (two words for each edge's key, the low one first,
// then the slot of the highest key of all); INSIDE (bins), SEARCH (the largest power of two of at most INSIDE), EQUAL (whether bins
// are equal).

fn reaches(k: vec2<u32>, edge: u32) -> bool { return !less64(k, vec2<u32>(entry(2u * edge), entry(2u * edge + 1u))); }

fn bin_of(bits: vec2<u32>) -> u32 {
    let k = key(bits);
    if EQUAL {
        let place = place_of(bits);
        // Whatever becomes of a place that is no number, it is one of the bins.
        let guess = min(u32(clamp(place, 0.0, 16777216.0)), INSIDE - 1u);
        let beyond = place - f32(guess);
        if (beyond > off()) & (beyond < 1.0 - off()) { return guess; }
        if reaches(k, guess) & !reaches(k, guess + 1u) { return guess; }
    }
    if is_nan(bits) { return INSIDE + 2u; }
    // The highest key of all also means an edge above all elements; the slot of its element is known.
    if (k.x & k.y) == 0xffffffffu { return entry(2u * INSIDE + 2u); }
    if !reaches(k, 0u) { return INSIDE; }
    if reaches(k, INSIDE) { return INSIDE + 1u; }
    var found = 0u;
    for (var step = SEARCH; step > 0u; step >>= 1u) {
        let next = min(found + step, INSIDE);
        if reaches(k, next) { found = next; }
    }
    return found;
}
