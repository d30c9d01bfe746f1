// The sizes of four f32, as exact/float64_window.wgsl asks for them.

const FIELD = 23u;
const ONE = 0x3f800000u;

fn largest_of(sizes: vec4<u32>) -> u32 { return max(max(sizes.x, sizes.y), max(sizes.z, sizes.w)); }

fn least_of(sizes: vec4<u32>) -> u32 {
    let before = sizes - vec4<u32>(1u);
    return min(min(before.x, before.y), min(before.z, before.w));
}
