// Guillermo Marcus, OpenCL Tutorial 2.1: Reduction
// Version 5. Changed: 128 invocations where there were 64. Workgroup memory decides how many workgroups a
// multiprocessor holds, so twice the invocations for the same memory keep twice as many loads under way.

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(2) var<storage, read_write> B: array<T>;
@group(0) @binding(3) var<uniform> P: Params;

var<workgroup> M: array<T, 1024>;
fn load(at: u32, l: u32, a: u32) { M[at + l] = combine(A[a + at], A[a + at + P.middle]); }
fn fold(at: u32, step: u32) { M[at] = combine(M[at], M[at + step]); }

@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    let g = group(id);
    let a = g * 1024u + l;
    load(0u, l, a); load(128u, l, a); load(256u, l, a); load(384u, l, a);
    load(512u, l, a); load(640u, l, a); load(768u, l, a); load(896u, l, a);
    workgroupBarrier();
    fold(l, 512u); fold(l + 128u, 512u); fold(l + 256u, 512u); fold(l + 384u, 512u); workgroupBarrier();
    fold(l, 256u); fold(l + 128u, 256u); workgroupBarrier();
    fold(l, 128u); workgroupBarrier();
    if l < 64u { fold(l, 64u); } workgroupBarrier();
    if l < 32u { fold(l, 32u); } workgroupBarrier();
    if l < 16u { fold(l, 16u); } workgroupBarrier();
    if l < 8u { fold(l, 8u); } workgroupBarrier();
    if l < 4u { fold(l, 4u); } workgroupBarrier();
    if l < 2u { fold(l, 2u); } workgroupBarrier();
    if l < 1u { B[g] = combine(M[0], M[1]); }
}
