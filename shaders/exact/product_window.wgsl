// A sum of products of at most 48 bits, each up to 63 places above a base: 128 bits, two's complement. 2^15 of them have room.
//
// Expects: shifted (exact/product_values.wgsl), limb_sum (exact/accumulator.wgsl).

alias Window = vec4<u32>;

// With one more; its sign: all ones where it is negative, else 0.
fn window_with(window: Window, product: vec2<u32>, up: u32, sign: u32) -> Window {
    let amount = shifted(product, up) ^ vec4<u32>(sign);
    let x = limb_sum(window.x, amount.x, sign & 1u);
    let y = limb_sum(window.y, amount.y, x.y);
    let z = limb_sum(window.z, amount.z, y.y);
    return vec4<u32>(x.x, y.x, z.x, window.w + amount.w + z.y);
}

fn window_words(window: Window) -> vec4<u32> { return window; }
