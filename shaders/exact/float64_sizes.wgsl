// The sizes of four f32, as exact/float64_window.wgsl asks for them.

const FIELD = 23u;
const ONE = 0x3f800000u;

fn sizes_of(vector: vec4<u32>) -> vec2<u32> {
    let sizes = vector & vec4<u32>(0x7fffffffu);
    let before = sizes - vec4<u32>(1u);
    let least = min(min(before.x, before.y), min(before.z, before.w));
    return vec2<u32>(least, max(max(sizes.x, sizes.y), max(sizes.z, sizes.w)));
}
