// Guillermo Marcus, OpenCL Tutorial 2.1: Reduction
// Version 0. Element 2i and its neighbour 2i + 1 become element i of the other buffer; each dispatch halves the
// length and the buffers change places. Every step reads and writes global memory, and neighbouring lanes read two
// apart.

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(2) var<storage, read_write> B: array<T>;
@group(0) @binding(3) var<uniform> P: Params;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    let i = group(id) * WG + l;
    B[i] = combine(A[2u * i], A[2u * i + 1u]);
}
