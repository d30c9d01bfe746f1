// Keys of a word or of two, as bits in which equal keys are equal.
//
// Expects: WORDS; same (runs/same_*.wgsl).

@group(0) @binding(0) var<storage, read> keys: array<u32>;

fn key_at(i: u32) -> vec2<u32> {
    let at = params.first + i * WORDS;
    return vec2<u32>(keys[at], select(0u, keys[at + WORDS - 1u], WORDS == 2u));
}

// Of the keys from i on, as many as there are, a bit for each with which a run begins; at most four.
fn begins(i: u32) -> u32 {
    if i >= params.count { return 0u; }
    let last = params.count - 1u;
    let before = same(key_at(max(i, 1u) - 1u));
    let key_0 = same(key_at(i));
    let key_1 = same(key_at(min(i + 1u, last)));
    let key_2 = same(key_at(min(i + 2u, last)));
    let key_3 = same(key_at(min(i + 3u, last)));
    // Those behind the last are the last again.
    return select(0u, 1u, (i == 0u) | any(before != key_0)) | select(0u, 2u, any(key_0 != key_1))
        | select(0u, 4u, any(key_1 != key_2)) | select(0u, 8u, any(key_2 != key_3));
}
