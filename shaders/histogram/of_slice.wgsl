// The bins of four elements, as far as a slice asks: keys are not asked about what cannot lie in it, so that the slices together
// ask about as often as one workgroup would that had all bins. A guess is the bin, or the one behind it, and beyond the range
// none; beside the lowest edge it may be none, too, for a place there may be less than 0 by as much as its nearness.
//
// Expects: places_of, doubtful_of, bins_at, SAFE (histogram/places.wgsl); bins_searched (histogram/edges.wgsl); first_bin, BINS
// (bins/sliced.wgsl).
fn bins_of(vector: vec4<u32>) -> vec4<u32> {
    if !SAFE { return bins_searched(vector); }
    let places = places_of(vector);
    let guesses = places >> vec4<u32>(FRACTION);
    let nearest = (places + vec4<u32>(param(3u))) >> vec4<u32>(FRACTION);  // the edge of a doubtful one
    let asked = (nearest - vec4<u32>(first_bin)) <= vec4<u32>(BINS);
    // The last bin and the slots behind it, to which what lies beyond the range belongs.
    let at_end = vec4<bool>(first_bin + BINS >= INSIDE);
    let beyond = (guesses == vec4<u32>()) | (guesses >= vec4<u32>(INSIDE));
    return bins_at(places, doubtful_of(places) & (asked | (beyond & at_end)), vector);
}
