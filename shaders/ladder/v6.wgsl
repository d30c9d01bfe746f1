// Guillermo Marcus, OpenCL Tutorial 2.1: Reduction
// Version 6. Changed: blocks of 512. Half the workgroup memory lets twice as many workgroups share a
// multiprocessor.

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(2) var<storage, read_write> B: array<T>;
@group(0) @binding(3) var<uniform> P: Params;

var<workgroup> M: array<T, 512>;
fn load(at: u32, l: u32, a: u32) { M[at + l] = combine(A[a + at], A[a + at + P.middle]); }
fn fold(at: u32, step: u32) { M[at] = combine(M[at], M[at + step]); }

@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    let g = group(id);
    let a = g * 512u + l;
    load(0u, l, a); load(128u, l, a); load(256u, l, a); load(384u, l, a);
    workgroupBarrier();
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
