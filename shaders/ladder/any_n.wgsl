// Pawel Pomorski, CSE 746 Lecture 4: Reduction with CUDA
// Changed from pairwise: the number of elements of a workgroup need not be a power of two. The tree is built over
// the next power of two, and a partner that does not exist is skipped. WG is no power of two either.

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(2) var<storage, read_write> B: array<T>;
@group(0) @binding(3) var<uniform> P: Params;

var<workgroup> M: array<T, WG>;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    let g = group(id);
    let n = min(WG, P.size - g * WG);
    if l < n { M[l] = A[g * WG + l]; }
    var threads = 1u;
    while threads < n { threads *= 2u; }
    for (; threads > 1u; threads /= 2u) {
        let middle = threads / 2u;
        workgroupBarrier();
        if l < middle && l + middle < n { M[l] += M[l + middle]; }
    }
    workgroupBarrier();
    if l == 0u { B[g] = M[0]; }
}
