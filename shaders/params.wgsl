// Parameters of one dispatch. The host writes them when the dispatch is recorded; nothing changes them afterwards.
struct Params {
    first: u32,       // element of the binding (or partial) at which the first row begins
    count: u32,       // elements (or partials) of a row; finish: rows
    stride: u32,      // elements (or partials) from one row to the next; columns: invocations of a group
    splits: u32,      // workgroups of a row
    vectors: u32,     // blocked: vectors of an invocation, at most; striped: full grid strides; combine: partials of an invocation;
                      // columns: elements from one invocation's first to the next one's; segments: items that an end counts as;
                      // carry: shares of an invocation
    grid_stride: u32, // vectors that all invocations of a row read in a round; columns: elements from one to the next
    partial: u32,     // partial of the first workgroup
    partials: u32,    // partials in all
    output: u32,      // word of the output at which the first row's result begins
    partner: u32,     // two inputs: from an element of the first to what the second has for it, modulo 2^32
    base: vec2<u32>,  // position of the binding's element 0, or of the first one of each contiguous row, (low, high), modulo 2^64
    total: vec2<u32>, // elements of a whole row, (low, high)
    rows: u32,         // rows by strides of this dispatch; columns: groups of them
    row_partials: u32, // rows by strides: partials of a row
    seal: u32,         // the word that follows a result for the host
}
