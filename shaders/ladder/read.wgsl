// treefold, where the tutorials stop
// No stage: the adapter's own read bandwidth, against which every stage is measured. Each invocation folds vectors
// of 16 bytes with bitwise or, four loads under way: vectors a grid apart for GPUs, or a block of its own for CPUs.

@group(0) @binding(0) var<storage, read> A: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> B: array<u32>;
@group(0) @binding(3) var<uniform> P: Params;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    let i = group(id) * WG + l;
    let step = select(1u, P.extra, P.middle == 0u);  // middle: vectors of a block, or 0
    var at = select(i * P.middle, i, P.middle == 0u);
    let end = select(min(at + P.middle, P.size), P.size, P.middle == 0u);
    var acc = vec4<u32>();
    for (; at + 3u * step < end; at += 4u * step) {
        acc |= A[at] | A[at + step] | A[at + 2u * step] | A[at + 3u * step];
    }
    for (; at < end; at += step) { acc |= A[at]; }
    B[i] = acc.x | acc.y | acc.z | acc.w;
}
