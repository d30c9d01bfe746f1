// One element is a word of each of two inputs; a quad is two of them. The inputs may begin anywhere, so words are all that
// is read of them.

@group(0) @binding(1) var<storage, read> words: array<u32>;   // the first input
@group(0) @binding(0) var<storage, read> others: array<u32>;  // the second, whose element e stands at e + shift

fn load(q: u32) -> vec4<u32> { return vec4<u32>(element(2u * q), element(2u * q + 1u)); }
fn element(e: u32) -> Bits { return vec2<u32>(words[e], others[e + params.shift]); }
