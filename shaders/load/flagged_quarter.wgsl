// A value is a byte, and its flag the byte above that; a vector has four of both.

@group(0) @binding(1) var<storage, read> words: array<u32>;  // the values, four a word

fn load(v: u32) -> vec4<u32> { return vec4<u32>(element(4u * v), element(4u * v + 1u), element(4u * v + 2u), element(4u * v + 3u)); }
fn element(e: u32) -> Bits { return ((words[e / 4u] >> (e % 4u * 8u)) & 0xffu) | (flag_of(e) << 8u); }
