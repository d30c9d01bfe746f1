// A value is half a word, and its flag the upper half of that; a vector has four of both.

@group(0) @binding(1) var<storage, read> words: array<u32>;  // the values, two a word

fn load(v: u32) -> vec4<u32> { return four_flagged(4u * v); }
fn four_flagged(e: u32) -> vec4<u32> { return vec4<u32>(element(e), element(e + 1u), element(e + 2u), element(e + 3u)); }
fn element(e: u32) -> Bits { return ((words[e / 2u] >> (e % 2u * 16u)) & 0xffffu) | (flag_of(e) << 16u); }
