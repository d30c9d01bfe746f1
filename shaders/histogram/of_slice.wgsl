// The bins of four elements, as far as a slice asks: keys are not asked about what cannot lie in it, so that the slices together
// ask about as often as one workgroup would that had all bins. A guess is the bin, or the one behind it, and beyond the range
// none; beside the lowest edge it may be none, too, for a place there may be less than 0 by as much as its nearness.
//
// Rounded down (FLOORED), a place is the bin but for what seldom is asked about.
//
// Expects: places_of, outside_of, beside_of, nearness, bins_at, SAFE, FLOORED (histogram/places.wgsl); bins_searched
// (histogram/edges.wgsl); first_bin, BINS (bins/sliced.wgsl).
fn bins_of(vector: vec4<u32>) -> vec4<u32> {
    if !SAFE { return bins_searched(vector); }
    let places = places_of(vector);
    let beside = beside_of(places, vector);
    let outside = outside_of(places);
    // The last bin and the slots behind it, to which what lies beyond the range belongs.
    let at_end = vec4<bool>(first_bin + BINS >= INSIDE);
    if FLOORED { return bins_at(places, beside | (outside & at_end), vector); }
    let guesses = places >> vec4<u32>(FRACTION);
    let nearest = (places + vec4<u32>(nearness())) >> vec4<u32>(FRACTION);  // the edge of a doubtful one
    let asked = (nearest - vec4<u32>(first_bin)) <= vec4<u32>(BINS);
    let beyond = (guesses == vec4<u32>()) | (guesses >= vec4<u32>(INSIDE));
    return bins_at(places, (beside | outside) & (asked | (beyond & at_end)), vector);
}
