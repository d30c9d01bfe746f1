// One element is one word; a quad is four of them.

@group(0) @binding(0) var<storage, read> quads: array<vec4<u32>>;  // the input, 16 bytes at a time
@group(0) @binding(1) var<storage, read> words: array<u32>;        // the same bytes, for the ragged ends

fn load(q: u32) -> vec4<u32> { return quads[q]; }
fn element(e: u32) -> Bits { return words[e]; }
