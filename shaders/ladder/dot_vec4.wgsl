// CMSoft, Optimization Strategies
// Changed from dot_local: four elements to a load, and four sums that do not wait for one another.

@group(0) @binding(0) var<storage, read> A: array<vec4<T>>;
@group(0) @binding(1) var<storage, read> X: array<vec4<T>>;
@group(0) @binding(2) var<storage, read_write> B: array<T>;
@group(0) @binding(3) var<uniform> P: Params;
@group(0) @binding(4) var<storage, read> R: array<T>;

var<workgroup> M: array<T, WG>;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    let g = group(id);
    let i = g * WG + l;
    var sum = vec4<T>();
    for (var j = i; j < P.middle / 4u; j += P.extra) { sum += A[j] * X[j]; }
    M[l] = R[i] + (sum.x + sum.y) + (sum.z + sum.w);
    for (var middle = WG / 2u; middle > 0u; middle >>= 1u) {
        workgroupBarrier();
        if l < middle { M[l] += M[l + middle]; }
    }
    if l == 0u { B[g] = M[0]; }
}
