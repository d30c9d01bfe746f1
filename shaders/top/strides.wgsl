// Where the elements of answers lie: by dimensions.
//
// Expects: params (top/answers.wgsl); ADJACENT: whether neighbours in an answer are neighbours in the buffer.

fn dimension(d: u32) -> vec2<u32> {
    let both = params.sizes[d / 2u];
    return select(both.xy, both.zw, d % 2u == 1u);
}

fn offset_of(index: u32, begin: u32, end: u32) -> u32 {
    var rest = index;
    var at = 0u;
    for (var d = end; d > begin + 1u; d--) {
        let size = dimension(d - 1u);
        at += rest % size.x * size.y;
        rest /= size.x;
    }
    // What is left is the index of the outermost.
    if end > begin { at += rest * dimension(begin).y; }
    return at;
}

fn begin_of(answer: u32) -> u32 { return params.first + offset_of(answer, 0u, params.kept); }
fn length_of(answer: u32) -> u32 { return params.length; }

// The longest of the answers of a workgroup's teams.
fn longest_of(length: u32, lane: u32, local: u32) -> u32 {
    workgroupBarrier();
    return params.length;
}

fn place(begin: u32, i: u32) -> u32 {
    if ADJACENT { return begin + i; }
    return begin + offset_of(i, params.kept, params.dims);
}
