// What a kernel of many answers is told.
struct Params {
    first: u32,    // element of the first answer's first, of segments of the input's, counted from that of the binding
    answers: u32,
    wanted: u32,
    counted: u32,  // 1: their number follows the indices
    at: u32,       // word of the first answer in the results
    step: u32,     // words from one answer to the next
    length: u32,   // elements of an answer, of segments those of the input
    most: u32,     // elements of an answer at most
    kept: u32,     // dimensions of answers
    dims: u32,     // and those of elements behind them
    word: u32,     // of the first offset
    seal: u32,     // the word that follows an answer, where it is not 0
    batch: u32,    // answers of a workgroup that looks for those without a list
    sizes: array<vec4<u32>, 8>,  // (length, stride) of two dimensions each, the outermost first
}

@group(0) @binding(2) var<uniform> params: Params;
