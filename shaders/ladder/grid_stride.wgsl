// treefold, where the tutorials stop
// Changed from version 6: as many workgroups as the GPU holds at once, each invocation folding elements a whole
// grid apart in a register. Workgroup memory and barriers are paid once per invocation, not once per few elements.

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(2) var<storage, read_write> B: array<T>;
@group(0) @binding(3) var<uniform> P: Params;

var<workgroup> M: array<T, WG>;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    let g = group(id);
    var acc = IDENTITY;
    for (var i = g * WG + l; i < P.size; i += P.extra) { acc = combine(acc, A[i]); }
    M[l] = acc;
    for (var middle = WG / 2u; middle > 0u; middle >>= 1u) {
        workgroupBarrier();
        if l < middle { M[l] = combine(M[l], M[l + middle]); }
    }
    if l == 0u { B[g] = M[0]; }
}
