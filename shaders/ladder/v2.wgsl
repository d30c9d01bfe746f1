// Guillermo Marcus, OpenCL Tutorial 2.1: Reduction
// Version 2. Changed: a workgroup of 64 copies 1024 elements to workgroup memory and reduces them there, ten steps
// in one dispatch: global memory is read once and written a thousandth as often. The `if` idles most lanes in the
// late steps. Left out: the tutorial's barrier after the copy and after the first three steps, where an invocation
// reads back only what it wrote itself.

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(2) var<storage, read_write> B: array<T>;
@group(0) @binding(3) var<uniform> P: Params;

var<workgroup> M: array<T, 1024>;

fn halve(l: u32, s: u32) {
    for (var s2 = 0u; s2 < s; s2 += 64u) {
        let sum = combine(M[s2 + l], M[s + s2 + l]);
        if s2 + l < s { M[s2 + l] = sum; }
    }
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    let g = group(id);
    let first = g * 1024u + l;
    for (var i = 0u; i < 1024u; i += 64u) { M[i + l] = A[first + i]; }
    halve(l, 512u); halve(l, 256u); halve(l, 128u);
    halve(l, 64u); workgroupBarrier();
    halve(l, 32u); workgroupBarrier();
    halve(l, 16u); workgroupBarrier();
    halve(l, 8u); workgroupBarrier();
    halve(l, 4u); workgroupBarrier();
    halve(l, 2u); workgroupBarrier();
    halve(l, 1u);
    if l == 0u { B[g] = M[0]; }
}
