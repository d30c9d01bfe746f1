// A window of 32 exponents as sums of slices: bits 0..20, 20..40, 40..60 above its base, three signed words.
//
// Expects: exact/accumulator.wgsl.

// The slices of a significand so many places above the base.
fn sliced(significand: u32, left: u32, bits: u32) -> vec3<i32> {
    let low = significand << left;
    let high = (significand >> 1u) >> (31u - left);
    let slices = vec3<u32>(low & 0xfffffu, ((low >> 20u) | (high << 12u)) & 0xfffffu, high >> 8u);
    let sign = vec3<u32>(bitcast<u32>(bitcast<i32>(bits) >> 31u));
    return bitcast<vec3<i32>>((slices ^ sign) - sign);
}

// The window so many bits up: 96 bits and the sign, in words from the lowest; the last two are the fourth, and those above.
struct Window {
    words: vec3<u32>,
    last: vec2<u32>,
}

fn placed_window(slices: vec3<i32>, shift: u32) -> Window {
    let signs = bitcast<vec3<u32>>(slices >> vec3<u32>(31u));
    let middle = vec3<u32>(bitcast<u32>(slices.y) << 20u, bitcast<u32>(slices.y >> 12u), signs.y);
    let high = vec3<u32>(0u, bitcast<u32>(slices.z) << 8u, bitcast<u32>(slices.z >> 24u));
    let all = add96(add96(vec3<u32>(bitcast<u32>(slices.x), signs.xx), middle), high);
    let below = (vec3<u32>(0u, all.xy) >> vec3<u32>(1u)) >> vec3<u32>(31u - shift);
    let words = (all << vec3<u32>(shift)) | below;
    let top = bitcast<i32>(all.z);
    let last = vec2<u32>(bitcast<u32>((top >> 1u) >> (31u - shift)), bitcast<u32>(top >> 31u));
    return Window(words, last);
}

// A word of the window, counted from its lowest; the sign above them, nothing below.
fn word_of_window(window: Window, place: u32) -> u32 {
    let words = window.words;
    let low = select(select(words.z, words.y, place == 1u), words.x, place == 0u);
    return select(select(select(window.last.y, window.last.x, place == 3u), low, place < 3u), 0u, place > LIMBS);
}
