// What one dispatch is told. The host writes it when the dispatch is recorded; nothing changes it afterwards.
struct Params {
    first: u32,       // the binding's element (or partial) at which this dispatch begins
    count: u32,       // how many it reads
    run: u32,         // blocks: quads per invocation, at most (or partials); tiles: whole rounds
    round: u32,       // quads that all invocations read in a round
    slot: u32,        // where results go: the first partial, or the first word of the answer
    shift: u32,       // zipped inputs: from an element of the first to its partner in the second, modulo 2^32
    base: vec2<u32>,  // place of the binding's element 0 in the whole input, (low, high), modulo 2^64
    total: vec2<u32>, // elements in the whole input
}
