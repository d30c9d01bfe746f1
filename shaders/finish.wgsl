// One invocation a row finishes answers that take the accumulators of several folds: those that the passes before left, in words.
//
// Expects: finish_row (the operator: reads a row's accumulators from word `at` on and writes its answers), ROW_WORDS.

@group(0) @binding(0) var<storage, read> accumulators: array<u32>;
@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(id: Invocation) {
    let row = id.workgroup.x * WORKGROUP_SIZE + id.local;
    if row < params.count { finish_row(row * ROW_WORDS, row); }
}
