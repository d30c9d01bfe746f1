// The bins of four elements.
//
// Expects: places_of, outside_of, beside_of, bins_at, SAFE (histogram/places.wgsl); bins_searched (histogram/edges.wgsl).
fn bins_of(vector: vec4<u32>) -> vec4<u32> {
    if !SAFE { return bins_searched(vector); }
    let places = places_of(vector);
    return bins_at(places, outside_of(places) | beside_of(places, vector), vector);
}
