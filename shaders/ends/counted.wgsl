// Of the segments those are there whose number is below the count.
//
// Expects: counted (ends/count.wgsl); in params, `row_partials` is how many lie before the first, `rows` how many there are at
// most.
fn segments_here() -> u32 { return min(max(counted(), params.row_partials) - params.row_partials, params.rows); }

// Those that are there, and those before.
fn segments_until() -> u32 { return min(counted(), params.row_partials + params.rows); }
