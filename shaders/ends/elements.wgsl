// One segment: the first elements, as many as are counted.
//
// Expects: counted (ends/count.wgsl); in params, `total` is how many there are at most.
fn begin_of(s: u32) -> u32 { return select(end_of(s), 0u, s == 0u); }
fn end_of(s: u32) -> u32 { return min(counted(), params.total.x); }
