// Ends by offsets: segment s has the elements from offsets[s] to offsets[s + 1]. An offset past the input counts as its end; where
// offsets fall, answers mean nothing, and nothing is read or written out of bounds.
//
// Expects: in params, `stride` is the word of the first offset, `total` the length of the input.

@group(0) @binding(4) var<storage, read> offsets: array<u32>;

fn begin_of(s: u32) -> u32 { return min(offsets[params.stride + s], params.total.x); }
fn end_of(s: u32) -> u32 { return min(offsets[params.stride + s + 1u], params.total.x); }
