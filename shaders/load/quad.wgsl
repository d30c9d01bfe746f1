// One element is four words, which are a vector.

@group(0) @binding(0) var<storage, read> vectors: array<vec4<u32>>;  // the input, 16 bytes at a time

fn load(v: u32) -> vec4<u32> { return vectors[v]; }
fn element(e: u32) -> Bits { return vectors[e]; }
