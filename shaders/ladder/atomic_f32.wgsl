// Pawel Pomorski, CSE 746 Lecture 4: Reduction with CUDA
// Changed from atomic_i32: floats. Each addition rounds, one element after another onto an ever larger sum, in an
// order that nobody knows. WGSL has no such operation; some adapters do (SHADER_FLOAT32_ATOMIC).

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(2) var<storage, read_write> B: atomic<f32>;
@group(0) @binding(3) var<uniform> P: Params;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    let i = group(id) * WG + l;
    if i < P.size { atomicAdd(&B, A[i]); }
}
