// Pawel Pomorski, CSE 746 Lecture 4: Reduction with CUDA
// In place of cas_f64 on adapters without 64-bit atomics: a sum of 64 bits in two words. The elements are
// multiples of 2^-24, so they are integers in disguise; the invocation whose addition wraps the low word carries one
// into the high word. Exact.

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(2) var<storage, read_write> B: array<atomic<u32>, 2>;
@group(0) @binding(3) var<uniform> P: Params;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    var low = 0u;
    var high = 0u;
    for (var i = group(id) * WG + l; i < P.size; i += P.extra) {
        let x = u32(A[i] * 16777216.0);
        low += x;
        high += u32(low < x);
    }
    let before = atomicAdd(&B[0], low);
    atomicAdd(&B[1], high + u32(before + low < low));
}
