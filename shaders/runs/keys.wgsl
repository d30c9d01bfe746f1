// Keys of a word or of two, as bits in which equal keys are equal.
//
// Expects: WORDS; same (runs/same_*.wgsl).

@group(0) @binding(0) var<storage, read> keys: array<u32>;

fn key_at(i: u32) -> vec2<u32> {
    let at = params.first + i * WORDS;
    return vec2<u32>(keys[at], select(0u, keys[at + WORDS - 1u], WORDS == 2u));
}

// Whether a run begins with a key.
fn begins(i: u32) -> bool {
    return (i == 0u) | any(same(key_at(i)) != same(key_at(max(i, 1u) - 1u)));
}
