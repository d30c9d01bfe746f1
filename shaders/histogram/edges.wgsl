// The bins of elements whose places among the bins are not known well enough: integer keys of the edges decide.
//
// Expects: place_of, nearness, param (histogram/places.wgsl); INSIDE (bins); entry (the edges' keys, and the slot of the highest
// of all), BASE (bits of the power of two), FRACTION (bits of a place's fraction), SEARCH (the largest power of two of at most
// INSIDE).

// The bin of an element whose place, nearness added, is doubtful. Far outside the range no edge is asked: the sign of the place
// tells, as an integer. Below the lowest edge, a power of two, the units of a mantissa are half as large, so far is further.
fn bin_of(bits: u32, place: u32) -> u32 {
    if is_nan(bits) { return INSIDE + 2u; }
    if place + 2u * nearness() > (INSIDE << FRACTION) + 3u * nearness() {
        return select(INSIDE, INSIDE + 1u, bitcast<i32>(place + param(2u)) > i32(BASE));
    }
    let near = u32(clamp(bitcast<i32>(place_of(bits)), i32(BASE), i32(BASE + (INSIDE << FRACTION)))) - BASE;
    return beside_edge(bits, (near + ((1u << FRACTION) >> 1u)) >> FRACTION);
}

// The bin of an element beside this edge.
fn beside_edge(bits: u32, edge: u32) -> u32 {
    // The highest key of all also means an edge above all elements; the slot of its element is known.
    if key(bits) == 0xffffffffu { return entry(INSIDE + 1u); }
    if key(bits) >= entry(edge) { return select(edge, INSIDE + 1u, edge == INSIDE); }
    return select(edge - 1u, INSIDE, edge == 0u);
}

// Bins of four elements whose places tell nothing: the last edges that are not above them, in steps that halve.
fn bins_searched(vector: vec4<u32>) -> vec4<u32> {
    let keys = vec4<u32>(key(vector.x), key(vector.y), key(vector.z), key(vector.w));
    var edges = vec4<u32>();
    for (var step = SEARCH; step > 0u; step >>= 1u) {
        let next = edges + vec4<u32>(step);
        let asked = min(next, vec4<u32>(INSIDE));
        let found = vec4<u32>(entry(asked.x), entry(asked.y), entry(asked.z), entry(asked.w));
        edges = select(edges, next, (next == asked) & (found <= keys));
    }
    let low = vec2<u32>(searched(vector.x, edges.x), searched(vector.y, edges.y));
    return vec4<u32>(low, searched(vector.z, edges.z), searched(vector.w, edges.w));
}

fn searched(bits: u32, edge: u32) -> u32 {
    if is_nan(bits) { return INSIDE + 2u; }
    return beside_edge(bits, edge);
}
