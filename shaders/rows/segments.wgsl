// Segments by offsets: segment s has the elements from offsets[s] to offsets[s + 1]. An offset past the input counts as its end;
// where offsets fall, answers mean nothing, and nothing is read or written out of bounds.
//
// Expects: in params, `rows` is the number of segments, `stride` the word of the first offset, `total` the length of the input.

@group(0) @binding(4) var<storage, read> offsets: array<u32>;

var<private> segment: u32;  // whose elements are read

fn row_of(workgroup: u32) -> u32 { return segment; }
fn begin_of(s: u32) -> u32 { return min(offsets[params.stride + s], params.total.x); }
fn end_of(s: u32) -> u32 { return min(offsets[params.stride + s + 1u], params.total.x); }
fn total_of(s: u32) -> vec2<u32> { return vec2<u32>(max(end_of(s), begin_of(s)) - begin_of(s), 0u); }

// Position of the binding's element 0, counted from the segment's first.
fn base_of(s: u32) -> vec2<u32> {
    let begin = begin_of(s);
    return add64(params.base, vec2<u32>(0u - begin, select(0xffffffffu, 0u, begin == 0u)));
}
