// All NaN are one key, and so are both zeros. Decided on the bits, (low, high).
fn same(key: vec2<u32>) -> vec2<u32> {
    let size = key.y & 0x7fffffffu;
    if (size | key.x) == 0u { return vec2<u32>(); }
    let nan = (size > 0x7ff00000u) | ((size == 0x7ff00000u) & (key.x != 0u));
    return select(key, vec2<u32>(0u, 0x7ff80000u), nan);
}
