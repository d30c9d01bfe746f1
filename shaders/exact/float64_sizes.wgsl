// The sizes of four f32, as exact/float64_window.wgsl asks for them.

const FIELD = 23u;
const ONE = 0x3f800000u;

fn largest_size(vector: vec4<u32>) -> u32 {
    let sizes = vector & vec4<u32>(0x7fffffffu);
    return max(max(sizes.x, sizes.y), max(sizes.z, sizes.w));
}

fn least_size(vector: vec4<u32>, largest: u32) -> u32 {
    let before = (vector & vec4<u32>(0x7fffffffu)) - vec4<u32>(1u);
    return min(min(before.x, before.y), min(before.z, before.w));
}
