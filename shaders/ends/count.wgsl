// A number that only the device knows.
//
// Expects: in params, `grid_stride` is its word.

@group(0) @binding(6) var<storage, read> counts: array<u32>;

fn counted() -> u32 { return counts[params.grid_stride]; }
