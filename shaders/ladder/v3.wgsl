// Guillermo Marcus, OpenCL Tutorial 2.1: Reduction
// Version 3. Changed: the first addition happens on the way into workgroup memory, so a workgroup takes 2048
// elements; the steps down to 64 need no bounds test; the last six stand in the text. The tutorial leaves out
// their barriers, trusting a warp to march in step; WGSL promises nothing of the kind.

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(2) var<storage, read_write> B: array<T>;
@group(0) @binding(3) var<uniform> P: Params;

var<workgroup> M: array<T, 1024>;
fn fold(at: u32, step: u32) { M[at] = combine(M[at], M[at + step]); }

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    let g = group(id);
    for (var i = l; i < 1024u; i += 64u) { M[i] = combine(A[g * 1024u + i], A[g * 1024u + i + P.middle]); }
    workgroupBarrier();
    for (var s = 512u; s >= 64u; s >>= 1u) {
        for (var i = l; i < s; i += 64u) { fold(i, s); }
        workgroupBarrier();
    }
    if l < 32u { fold(l, 32u); } workgroupBarrier();
    if l < 16u { fold(l, 16u); } workgroupBarrier();
    if l < 8u { fold(l, 8u); } workgroupBarrier();
    if l < 4u { fold(l, 4u); } workgroupBarrier();
    if l < 2u { fold(l, 2u); } workgroupBarrier();
    if l < 1u { B[g] = combine(M[0], M[1]); }
}
