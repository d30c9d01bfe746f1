// All segments are there.
fn segments_here() -> u32 { return params.rows; }
