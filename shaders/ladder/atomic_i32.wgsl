// Pawel Pomorski, CSE 746 Lecture 4: Reduction with CUDA
// One line per reduction: every invocation adds its element to one word in global memory, and raises and lowers
// two more. No tree, no workgroup memory, no second kernel, any length. The device does them one after another.

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(2) var<storage, read_write> B: array<atomic<i32>, 3>;
@group(0) @binding(3) var<uniform> P: Params;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    let i = group(id) * WG + l;
    if i < P.size {
        atomicAdd(&B[0], A[i]);
        atomicMin(&B[1], A[i]);
        atomicMax(&B[2], A[i]);
    }
}
