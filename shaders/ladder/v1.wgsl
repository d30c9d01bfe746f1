// Guillermo Marcus, OpenCL Tutorial 2.1: Reduction
// Version 1. Changed: the partner of element i lies half the length away, so neighbouring lanes read neighbouring
// elements. Below 64 elements the host takes over.

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(2) var<storage, read_write> B: array<T>;
@group(0) @binding(3) var<uniform> P: Params;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    let i = group(id) * WG + l;
    B[i] = combine(A[i], A[i + P.middle]);
}
