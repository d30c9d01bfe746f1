// One element is a word of each of two inputs; a vector has two of them. The inputs may begin anywhere, so words are all that
// is read of them.

@group(0) @binding(1) var<storage, read> words: array<u32>;     // the first input
@group(0) @binding(0) var<storage, read> partners: array<u32>;  // the second, whose element e is at e + partner

fn load(v: u32) -> vec4<u32> { return vec4<u32>(element(2u * v), element(2u * v + 1u)); }
fn element(e: u32) -> Bits { return vec2<u32>(words[e], partners[e + params.partner]); }
