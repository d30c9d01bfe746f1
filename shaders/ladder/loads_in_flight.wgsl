// treefold, where the tutorials stop
// Changed from vec4: four loads are under way before the first is used, so that an invocation waits for memory a
// quarter as often. From here on it is memory that decides, and treefold's own kernel does the same for every
// operator.

@group(0) @binding(0) var<storage, read> A: array<vec4<T>>;
@group(0) @binding(2) var<storage, read_write> B: array<T>;
@group(0) @binding(3) var<uniform> P: Params;

var<workgroup> M: array<T, WG>;
fn four(q: vec4<T>) -> T { return combine(combine(q.x, q.y), combine(q.z, q.w)); }

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    let g = group(id);
    var acc = IDENTITY;
    let end = P.size / 4u;
    var i = g * WG + l;
    for (; i + 3u * P.extra < end; i += 4u * P.extra) {
        let a = A[i];
        let b = A[i + P.extra];
        let c = A[i + 2u * P.extra];
        let d = A[i + 3u * P.extra];
        acc = combine(acc, combine(combine(four(a), four(b)), combine(four(c), four(d))));
    }
    for (; i < end; i += P.extra) { acc = combine(acc, four(A[i])); }
    M[l] = acc;
    for (var middle = WG / 2u; middle > 0u; middle >>= 1u) {
        workgroupBarrier();
        if l < middle { M[l] = combine(M[l], M[l + middle]); }
    }
    if l == 0u { B[g] = M[0]; }
}
