// treefold, where the tutorials stop
// Changed from grid_stride: four elements to a load of 16 bytes, a quarter of the load instructions.

@group(0) @binding(0) var<storage, read> A: array<vec4<T>>;
@group(0) @binding(2) var<storage, read_write> B: array<T>;
@group(0) @binding(3) var<uniform> P: Params;

var<workgroup> M: array<T, WG>;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    let g = group(id);
    var acc = IDENTITY;
    for (var i = g * WG + l; i < P.size / 4u; i += P.extra) {
        let q = A[i];
        acc = combine(acc, combine(combine(q.x, q.y), combine(q.z, q.w)));
    }
    M[l] = acc;
    for (var middle = WG / 2u; middle > 0u; middle >>= 1u) {
        workgroupBarrier();
        if l < middle { M[l] = combine(M[l], M[l + middle]); }
    }
    if l == 0u { B[g] = M[0]; }
}
