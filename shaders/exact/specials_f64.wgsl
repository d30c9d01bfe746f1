// What signs and flags make of the rounding of an exact sum to f64 (low word, high word).
//
// Expects: exact/specials.wgsl.

// The f64 of a sum whose rounded magnitude has these bits.
fn with_specials_f64(acc: Acc, bits: vec2<u32>, count: vec2<u32>) -> array<u32, 2> {
    if is_nan_sum(acc) { return array<u32, 2>(0u, 0x7ff80000u); }
    let finite = select(bits, vec2<u32>(0u, 0x7ff00000u), is_infinite_sum(acc));
    return array<u32, 2>(finite.x, finite.y | sign_of(acc, count));
}
