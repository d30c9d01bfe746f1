// A value is two words, and its flag two others.

@group(0) @binding(1) var<storage, read> words: array<u32>;  // the values

fn load(v: u32) -> vec4<u32> { return element(v); }
fn element(e: u32) -> Bits { return vec4<u32>(words[2u * e], words[2u * e + 1u], flag_of(e), 0u); }
