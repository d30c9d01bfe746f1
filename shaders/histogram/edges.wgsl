// The bin of an element whose place among the bins is not known well enough: integer keys of the edges decide.
//
// Expects: place_of, INSIDE, param (histogram/bins.wgsl); entry (the edges' keys, and the slot of the highest of all), BASE (bits
// of the power of two), FRACTION (bits of a place's fraction), SAFE (whether a guess finds the edge).

// The bin of an element whose place, nearness added, is doubtful. Far outside the range no edge is asked: the sign of the place
// tells, as an integer. Below the lowest edge, a power of two, the units of a mantissa are half as large, so far is further.
fn bin_of(bits: u32, place: u32) -> u32 {
    if is_nan(bits) { return INSIDE + 2u; }
    if SAFE & (place + 2u * param(3u) > (INSIDE << FRACTION) + 3u * param(3u)) {
        return select(INSIDE, INSIDE + 1u, bitcast<i32>(place + param(2u)) > i32(BASE));
    }
    return beside_edge(bits);
}

// The bin of an element that lies near an edge, or whose place is not known so well.
fn beside_edge(bits: u32) -> u32 {
    // The highest key of all also means an edge above all elements; the slot of its element is known.
    if key(bits) == 0xffffffffu { return entry(INSIDE + 1u); }
    let place = u32(clamp(bitcast<i32>(place_of(bits)), i32(BASE), i32(BASE + (INSIDE << FRACTION)))) - BASE;
    var edge = (place + (1u << (FRACTION - 1u))) >> FRACTION;
    if !SAFE { edge = search(key(bits)); }
    if key(bits) >= entry(edge) { return select(edge, INSIDE + 1u, edge == INSIDE); }
    return select(edge - 1u, INSIDE, edge == 0u);
}

// The last edge that is not above a key; 0 where there is none.
fn search(k: u32) -> u32 {
    var low = 0u;
    var high = INSIDE + 1u;
    for (var step = 0u; step < 26u; step++) {
        if high - low <= 1u { break; }
        let middle = (low + high) / 2u;
        if entry(middle) <= k { low = middle; } else { high = middle; }
    }
    return low;
}
