// Ends of rows of one length.
//
// Expects: segments_here (ends/counted.wgsl); in params, `stride` is the length, `row_partials` how many rows lie before the first.
fn begin_of(s: u32) -> u32 { return (params.row_partials + min(s, segments_here())) * params.stride; }
fn end_of(s: u32) -> u32 { return begin_of(s + 1u); }
