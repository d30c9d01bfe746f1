// The places of elements among bins: those of a range, then below, above, NaN. A place among equal bins is found in f32, as the
// mantissa of a sum with a power of two; where it lies near an edge, or beyond one, integer keys of the edges decide, so that
// counts are the same everywhere. Where no place is safe, or bins are not equal, the keys are searched.
//
// Where bins a unit are a power of two and the edges whole in them (FLOORED), the place is rounded down first: then it is the bin,
// but for negative numbers so small that a device may take them for 0.
//
// Expects: param (place of 0, bins a unit, the bits of the place that is 0 once the nearness is added, twice the nearness in units
// of the last place or, FLOORED, the bin that 0 begins), bin_of (histogram/edges.wgsl), FRACTION (bits of a place's fraction), SAFE
// (whether places find the edge), INSIDE (bins within the range).

// The place: its power of two, then units of 2^-FRACTION bins.
fn place_of(bits: u32) -> u32 {
    let scale = bitcast<f32>(param(1u));
    let origin = bitcast<f32>(param(0u));
    if FLOORED { return bitcast<u32>(floor(f32(value(bits)) * scale) + origin); }
    return bitcast<u32>(fma(f32(value(bits)), scale, origin));
}

// Those of four elements, nearness added: so a place is in its bin, or in the first units of the next one.
fn places_of(vector: vec4<u32>) -> vec4<u32> {
    return vec4<u32>(place_of(vector.x), place_of(vector.y), place_of(vector.z), place_of(vector.w)) - vec4<u32>(param(2u));
}

// Twice the nearness.
fn nearness() -> u32 { return select(param(3u), 0u, FLOORED); }

// Whether a place lies in no bin.
fn outside_of(places: vec4<u32>) -> vec4<bool> { return places >= vec4<u32>(INSIDE << FRACTION); }

// Whether a place lies in the first units of a bin; FLOORED, whether a negative element seems to be 0.
fn beside_of(places: vec4<u32>, vector: vec4<u32>) -> vec4<bool> {
    if FLOORED { return (places == vec4<u32>(param(3u))) & (vector >= vec4<u32>(0x80000000u)); }
    return (places & vec4<u32>((1u << FRACTION) - 1u)) <= vec4<u32>(nearness());
}

// The bins of these places, where keys are asked for the doubtful ones. Where many are, one after another, since compilers take
// long over each copy of what asks.
fn bins_at(places: vec4<u32>, doubtful: vec4<bool>, vector: vec4<u32>) -> vec4<u32> {
    var bins = places >> vec4<u32>(FRACTION);
    if FLOORED & any(doubtful) {
        if doubtful.x { bins.x = bin_of(vector.x, places.x); }
        if doubtful.y { bins.y = bin_of(vector.y, places.y); }
        if doubtful.z { bins.z = bin_of(vector.z, places.z); }
        if doubtful.w { bins.w = bin_of(vector.w, places.w); }
        return bins;
    }
    var left = doubtful;
    while any(left) & !FLOORED {
        // Of the first one that is left, and its equals. An index would take vectors out of registers.
        let of_last = vec2<u32>(select(vector.w, vector.z, left.z), select(places.w, places.z, left.z));
        let of_behind = select(of_last, vec2<u32>(vector.y, places.y), vec2<bool>(left.y));
        let asked = select(of_behind, vec2<u32>(vector.x, places.x), vec2<bool>(left.x));
        let here = left & (vector == vec4<u32>(asked.x));
        bins = select(bins, vec4<u32>(bin_of(asked.x, asked.y)), here);
        left &= !here;
    }
    return bins;
}
