// Segments, one behind another.
//
// Expects: begin_of, end_of, segments_here (ends/*.wgsl); in params, `rows` is the number of segments at most.

var<private> segment: u32;  // whose elements are read

fn row_of(workgroup: u32) -> u32 { return segment; }
fn total_of(s: u32) -> vec2<u32> { return vec2<u32>(max(end_of(s), begin_of(s)) - begin_of(s), 0u); }

// Position of the binding's element 0, counted from the segment's first.
fn base_of(s: u32) -> vec2<u32> {
    let begin = begin_of(s);
    return add64(params.base, vec2<u32>(0u - begin, select(0xffffffffu, 0u, begin == 0u)));
}
