// The lowest ranks of the elements of a load from below and from above, where they are the complements.
//
// Expects: ends_of, the least and the largest rank in a word, above BELOW bits (extreme/ends_of_*.wgsl); full, any_nan.
fn wider(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> { return vec2<u32>(min(a.x, b.x), max(a.y, b.y)); }

fn ends_of_load(vector: vec4<u32>) -> Acc {
    let front = wider(ends_of(vector.x), ends_of(vector.y));
    let back = wider(ends_of(vector.z), ends_of(vector.w));
    let ends = wider(front, back);
    let nan = any_nan(vector);
    return Acc(select(full(ends.x >> BELOW), 0u, nan), select(~full(ends.y >> BELOW), 0u, nan));
}
