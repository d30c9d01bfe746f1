// Guillermo Marcus, OpenCL Tutorial 2.1: Reduction
// Version 3. Changed: the first addition happens on the way into workgroup memory, so a workgroup takes 2048
// elements; the steps down to 64 need no bounds test; the last six are written out. The tutorial leaves out
// their barriers, trusting a warp to march in step; WGSL promises nothing of the kind.

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(2) var<storage, read_write> B: array<T>;
@group(0) @binding(3) var<uniform> P: Params;

var<workgroup> M: array<T, 1024>;
fn fold(at: u32, step: u32) { M[at] = combine(M[at], M[at + step]); }

fn halve(l: u32, s: u32) {
    for (var i = 0u; i < s; i += 64u) { fold(i + l, s); }
    workgroupBarrier();
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    let g = group(id);
    let first = g * 1024u + l;
    for (var i = 0u; i < 1024u; i += 64u) { M[i + l] = combine(A[first + i], A[first + i + P.middle]); }
    workgroupBarrier();
    halve(l, 512u); halve(l, 256u); halve(l, 128u); halve(l, 64u);
    if l < 32u { fold(l, 32u); } workgroupBarrier();
    if l < 16u { fold(l, 16u); } workgroupBarrier();
    if l < 8u { fold(l, 8u); } workgroupBarrier();
    if l < 4u { fold(l, 4u); } workgroupBarrier();
    if l < 2u { fold(l, 2u); } workgroupBarrier();
    if l < 1u { B[g] = combine(M[0], M[1]); }
}
