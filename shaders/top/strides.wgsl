// Where the elements of answers lie: by dimensions.
//
// Expects: params (top/answers.wgsl); ADJACENT: whether neighbours in an answer are neighbours in the buffer.

fn offset_of(index: u32, begin: u32, end: u32) -> u32 {
    var rest = index;
    var at = 0u;
    for (var d = end; d > begin; d--) {
        let both = params.sizes[(d - 1u) / 2u];
        let size = select(both.zw, both.xy, d % 2u == 1u);
        // What is left is the index of the outermost.
        let here = select(rest % size.x, rest, d == begin + 1u);
        at += here * size.y;
        rest /= size.x;
    }
    return at;
}

fn begin_of(answer: u32) -> u32 { return params.first + offset_of(answer, 0u, params.kept); }
fn length_of(answer: u32) -> u32 { return params.length; }

fn place(begin: u32, i: u32) -> u32 {
    if ADJACENT { return begin + i; }
    return begin + offset_of(i, params.kept, params.dims);
}
