// The divisor of a spread (exact/spread.wgsl), n·(n - ddof), in 128 bits.
//
// Expects: times (exact/words128.wgsl).
fn divisor_of(count: vec2<u32>, ddof: u32) -> vec4<u32> {
    let rest = vec2<u32>(count.x - ddof, count.y - select(0u, 1u, count.x < ddof));
    return times(vec4<u32>(count, 0u, 0u), rest.x, rest.y);
}
