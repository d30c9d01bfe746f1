// Khronos OpenCL SDK, sample Reduce
// The textbook tree for any length: a workgroup takes up to 2 WG elements, and reads past the end yield the
// identity. Passes go on, between two buffers, until one element is left. `combine` is added at run time: sum
// or min.

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(2) var<storage, read_write> B: array<T>;
@group(0) @binding(3) var<uniform> P: Params;

var<workgroup> M: array<T, 2 * WG>;

fn held(i: u32, count: u32) -> T { return select(IDENTITY, M[i], i < count); }

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    let g = group(id);
    let first = g * 2u * WG;
    let count = min(2u * WG, P.size - first);
    for (var i = l; i < count; i += WG) { M[i] = A[first + i]; }
    workgroupBarrier();
    for (var i = WG; i != 0u; i /= 2u) {
        if l < i { M[l] = combine(held(l, count), held(l + i, count)); }
        workgroupBarrier();
    }
    if l == 0u { B[g] = M[0]; }
}
