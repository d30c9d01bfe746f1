// Guillermo Marcus, OpenCL Tutorial 2.1: Reduction
// Version 4. Changed: every loop is written out. Nothing is left to count, only loads, additions and barriers.

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(2) var<storage, read_write> B: array<T>;
@group(0) @binding(3) var<uniform> P: Params;

var<workgroup> M: array<T, 1024>;
fn load(at: u32, l: u32, a: u32) { M[at + l] = combine(A[a + at], A[a + at + P.middle]); }
fn fold(at: u32, step: u32) { M[at] = combine(M[at], M[at + step]); }

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    let g = group(id);
    let a = g * 1024u + l;
    load(0u, l, a); load(64u, l, a); load(128u, l, a); load(192u, l, a);
    load(256u, l, a); load(320u, l, a); load(384u, l, a); load(448u, l, a);
    load(512u, l, a); load(576u, l, a); load(640u, l, a); load(704u, l, a);
    load(768u, l, a); load(832u, l, a); load(896u, l, a); load(960u, l, a);
    workgroupBarrier();
    fold(l, 512u); fold(l + 64u, 512u); fold(l + 128u, 512u); fold(l + 192u, 512u);
    fold(l + 256u, 512u); fold(l + 320u, 512u); fold(l + 384u, 512u); fold(l + 448u, 512u); workgroupBarrier();
    fold(l, 256u); fold(l + 64u, 256u); fold(l + 128u, 256u); fold(l + 192u, 256u); workgroupBarrier();
    fold(l, 128u); fold(l + 64u, 128u); workgroupBarrier();
    fold(l, 64u); workgroupBarrier();
    if l < 32u { fold(l, 32u); } workgroupBarrier();
    if l < 16u { fold(l, 16u); } workgroupBarrier();
    if l < 8u { fold(l, 8u); } workgroupBarrier();
    if l < 4u { fold(l, 4u); } workgroupBarrier();
    if l < 2u { fold(l, 2u); } workgroupBarrier();
    if l < 1u { B[g] = combine(M[0], M[1]); }
}
