// 16 bytes at a time, as two words of 64 bits: a processor that fetches lane by lane and word by word fetches half as often.

@group(0) @binding(0) var<storage, read> vectors: array<vec2<u64>>;  // the input

fn load(v: u32) -> vec4<u32> {
    let words = vectors[v];
    let low = vec2<u32>(words & vec2<u64>(0xfffffffflu));
    let high = vec2<u32>(words >> vec2<u32>(32u));
    return vec4<u32>(low.x, high.x, low.y, high.y);
}
