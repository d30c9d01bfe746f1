// 64-bit integers as (low, high) words: exact on every adapter, with or without 64-bit shader types.
fn add64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}

// Whether a is less than b, as unsigned numbers.
fn less64(a: vec2<u32>, b: vec2<u32>) -> bool { return (a.y < b.y) | ((a.y == b.y) & (a.x < b.x)); }

// The 64-bit product of two words, by 16-bit halves.
fn multiply32(a: u32, b: u32) -> vec2<u32> {
    let ll = (a & 0xffffu) * (b & 0xffffu);
    let lh = (a & 0xffffu) * (b >> 16u);
    let hl = (a >> 16u) * (b & 0xffffu);
    let middle = (ll >> 16u) + (lh & 0xffffu) + (hl & 0xffffu);
    return vec2<u32>((ll & 0xffffu) | (middle << 16u), (a >> 16u) * (b >> 16u) + (lh >> 16u) + (hl >> 16u) + (middle >> 16u));
}

// A 64-bit count as the nearest f32 or one beside it.
fn float64(a: vec2<u32>) -> f32 { return f32(a.y) * 4294967296.0 + f32(a.x); }
