// Pawel Pomorski, CSE 746 Lecture 4: Reduction with CUDA
// Changed from pairwise: the partials are the input of the next dispatch, until one is left: two steps for up to
// WG² elements, a third beyond. The last workgroup of each step fills up with zeros.

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(2) var<storage, read_write> B: array<T>;
@group(0) @binding(3) var<uniform> P: Params;

var<workgroup> M: array<T, WG>;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    let g = group(id);
    M[l] = 0.0;
    if g * WG + l < P.size { M[l] = A[g * WG + l]; }
    for (var middle = WG / 2u; middle > 0u; middle >>= 1u) {
        workgroupBarrier();
        if l < middle { M[l] += M[l + middle]; }
    }
    if l == 0u { B[g] = M[0]; }
}
