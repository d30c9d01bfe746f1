// One element is three words, read one at a time: no vector of four words holds whole ones.

@group(0) @binding(1) var<storage, read> words: array<u32>;  // the input

fn load(v: u32) -> Bits { return element(v); }
fn element(e: u32) -> Bits { return vec3<u32>(words[3u * e], words[3u * e + 1u], words[3u * e + 2u]); }
