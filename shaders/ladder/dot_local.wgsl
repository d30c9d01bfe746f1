// CMSoft, Optimization Strategies
// Changed from dot_coalesced: a workgroup adds up its sums in workgroup memory, so the host has W / WG to add. The
// article writes these over the answers that other workgroups still read; here they go to a buffer of their own.

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(1) var<storage, read> X: array<T>;
@group(0) @binding(2) var<storage, read_write> B: array<T>;
@group(0) @binding(3) var<uniform> P: Params;
@group(0) @binding(4) var<storage, read> R: array<T>;

var<workgroup> M: array<T, WG>;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    let g = group(id);
    let i = g * WG + l;
    var sum = R[i];
    for (var j = i; j < P.middle; j += P.extra) { sum += A[j] * X[j]; }
    M[l] = sum;
    for (var middle = WG / 2u; middle > 0u; middle >>= 1u) {
        workgroupBarrier();
        if l < middle { M[l] += M[l + middle]; }
    }
    if l == 0u { B[g] = M[0]; }
}
