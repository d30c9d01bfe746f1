// Pawel Pomorski, CSE 746 Lecture 4: Reduction with CUDA
// Changed from pairwise: each step adds and halves, so that every intermediate value is a mean of its elements and
// never grows. A mean of means needs blocks of equal length; the host scales the padded last one.

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(2) var<storage, read_write> B: array<T>;
@group(0) @binding(3) var<uniform> P: Params;

var<workgroup> M: array<T, WG>;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    let g = group(id);
    M[l] = A[g * WG + l];
    for (var middle = WG / 2u; middle > 0u; middle >>= 1u) {
        workgroupBarrier();
        if l < middle { M[l] = (M[l] + M[l + middle]) / 2.0; }
    }
    if l == 0u { B[g] = M[0]; }
}
