// CMSoft, Optimization Strategies
// Before dot_coalesced and those after it: the elements beyond the last whole multiple are folded into the first
// answers, so that every invocation of the next kernel has the same number of trips. The rest of the answers are
// cleared.

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(1) var<storage, read> X: array<T>;
@group(0) @binding(2) var<storage, read_write> B: array<T>;
@group(0) @binding(3) var<uniform> P: Params;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    let i = group(id) * WG + l;
    var sum = 0.0;
    for (var j = P.middle + i; j < P.size; j += P.extra) { sum += A[j] * X[j]; }
    B[i] = sum;
}
