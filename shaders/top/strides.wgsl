// Where the elements of answers lie: by dimensions.
//
// Expects: ADJACENT: whether neighbours in an answer are neighbours in the buffer.
struct Params {
    first: u32,    // element of the first answer's first, counted from that of the binding
    answers: u32,
    wanted: u32,
    counted: u32,  // 1: their number follows the indices
    at: u32,       // word of the first answer in the results
    step: u32,     // words from one answer to the next
    length: u32,   // elements of an answer
    most: u32,     // elements of an answer at most
    kept: u32,     // dimensions of answers
    dims: u32,     // and those of elements behind them
    word: u32,     // not used
    seal: u32,     // the word that follows an answer, where it is not 0
    sizes: array<vec4<u32>, 8>,  // (length, stride) of two dimensions each, the outermost first
}

@group(0) @binding(2) var<uniform> params: Params;

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
