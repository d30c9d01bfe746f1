// Four elements share a word, the first in its low byte; a vector has sixteen of them.

@group(0) @binding(0) var<storage, read> vectors: array<vec4<u32>>;  // the input, 16 bytes at a time
@group(0) @binding(1) var<storage, read> words: array<u32>;          // the same bytes, for the head and the tail

fn load(v: u32) -> vec4<u32> { return vectors[v]; }
fn element(e: u32) -> Bits { return wide_bits(words[e / 4u] >> (e % 4u * 8u)); }
