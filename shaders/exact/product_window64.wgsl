// The same in four integers of 64 bits, one for each word, which hand on what they carry at the end. 2^31 products have room.
//
// Expects: shifted (exact/product_values.wgsl).

struct Window { x: u64, y: u64, z: u64, w: u64 }

// With one more; its sign: all ones where it is negative, else 0.
fn window_with(window: Window, product: vec2<u32>, up: u32, sign: u32) -> Window {
    let amount = shifted(product, up) ^ vec4<u32>(sign);
    return Window(
        window.x + u64(amount.x) + u64(sign & 1u), window.y + u64(amount.y), window.z + u64(amount.z), window.w + u64(amount.w),
    );
}

fn window_words(window: Window) -> vec4<u32> {
    let y = window.y + (window.x >> 32u);
    let z = window.z + (y >> 32u);
    let w = window.w + (z >> 32u);
    return vec4<u32>(low_word(window.x), low_word(y), low_word(z), low_word(w));
}

fn low_word(a: u64) -> u32 { return u32(a & 0xfffffffflu); }
