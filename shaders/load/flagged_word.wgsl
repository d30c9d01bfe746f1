// A value is a word, and its flag another; a vector has two of both.

@group(0) @binding(1) var<storage, read> words: array<u32>;  // the values

fn load(v: u32) -> vec4<u32> { return vec4<u32>(element(2u * v), element(2u * v + 1u)); }
fn element(e: u32) -> Bits { return vec2<u32>(words[e], flag_of(e)); }
