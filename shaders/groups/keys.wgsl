// The key of each element, and how many elements each group has.
//
// Expects: in params, `grid_stride` is the first key, `rows` the number of groups here, `output` the first group among all,
// `stride` the word of the first element's key, `vectors` the rounds of an invocation.

@group(0) @binding(2) var<uniform> params: Params;
@group(0) @binding(5) var<storage, read_write> totals: array<atomic<u32>>;  // elements of each group
@group(0) @binding(6) var<storage, read> keys: array<Keys>;
