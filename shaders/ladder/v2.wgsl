// Guillermo Marcus, OpenCL Tutorial 2.1: Reduction
// Version 2. Changed: a workgroup of 64 copies 1024 elements to workgroup memory and reduces them there, ten steps
// in one dispatch: global memory is read once and written a thousandth as often. The `if` idles most lanes in the
// late steps.

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(2) var<storage, read_write> B: array<T>;
@group(0) @binding(3) var<uniform> P: Params;

var<workgroup> M: array<T, 1024>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    let g = group(id);
    for (var i = 0u; i < 1024u; i += 64u) { M[i + l] = A[g * 1024u + i + l]; }
    workgroupBarrier();
    for (var s = 512u; s >= 1u; s >>= 1u) {
        for (var s2 = 0u; s2 < s; s2 += 64u) {
            if s2 + l < s { M[s2 + l] = combine(M[s2 + l], M[s + s2 + l]); }
        }
        workgroupBarrier();
    }
    if l == 0u { B[g] = M[0]; }
}
