// An exact sum, rounded once to f64 (low word, high word).
//
// Expects: exact/specials.wgsl, top_of (exact/sum_top.wgsl), nearest_f64 (exact/round_f64.wgsl).

fn rounded_f64(acc: Acc, count: vec2<u32>) -> array<u32, 2> {
    let size = top_of(acc);
    let words = size.words;
    let more = any(words.high.xy != vec2<u32>()) | any(words.low != vec4<u32>()) | ((words.next | words.rest) != 0u);
    return with_specials_f64(acc, nearest_f64(words.high.zw, more, size.place), count);
}

// The f64 of a sum whose rounded magnitude has these bits.
fn with_specials_f64(acc: Acc, bits: vec2<u32>, count: vec2<u32>) -> array<u32, 2> {
    if is_nan_sum(acc) { return array<u32, 2>(0u, 0x7ff80000u); }
    let finite = select(bits, vec2<u32>(0u, 0x7ff00000u), is_infinite_sum(acc));
    return array<u32, 2>(finite.x, finite.y | sign_of(acc, count));
}
