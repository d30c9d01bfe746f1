// Where the elements of segments lie: from one offset to the next. An offset past the input counts as its end; where offsets fall,
// a segment is empty.
struct Params {
    first: u32,    // element of the input's first, counted from that of the binding
    answers: u32,
    wanted: u32,
    counted: u32,  // 1: their number follows the indices
    at: u32,       // word of the first answer in the results
    step: u32,     // words from one answer to the next
    length: u32,   // elements of the input
    most: u32,     // elements of an answer at most
    kept: u32,     // not used
    dims: u32,     // not used
    word: u32,     // of the first offset
    seal: u32,     // the word that follows an answer, where it is not 0
}

@group(0) @binding(2) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read> offsets: array<u32>;

fn offset_at(s: u32) -> u32 { return min(offsets[params.word + s], params.length); }
fn begin_of(answer: u32) -> u32 { return params.first + offset_at(answer); }
fn length_of(answer: u32) -> u32 { return max(offset_at(answer + 1u), offset_at(answer)) - offset_at(answer); }
fn place(begin: u32, i: u32) -> u32 { return begin + i; }
