// Where a list of elements stands in the results: elements, then their indices (low, high), room for as many of both.
//
// Expects: WORDS (top/ranks.wgsl).
@group(0) @binding(5) var<storage, read_write> results: array<u32>;

fn write(to: u32, at: u32, room: u32, value: vec2<u32>, index: vec2<u32>) {
    results[at + to * WORDS] = value.x;
    if WORDS == 2u { results[at + to * WORDS + 1u] = value.y; }
    let indices = at + room * WORDS;
    results[indices + 2u * to] = index.x;
    results[indices + 2u * to + 1u] = index.y;
}
