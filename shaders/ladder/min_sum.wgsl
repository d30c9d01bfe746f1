// Pawel Pomorski, CSE 746 Lecture 4: Reduction with CUDA
// Changed from pairwise: two reductions in one kernel, each in workgroup memory of its own. The elements are read
// once; the memory is what limits how many reductions a kernel can take.

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(2) var<storage, read_write> B: array<T>;
@group(0) @binding(3) var<uniform> P: Params;

const LARGEST = 0x1.fffffep+127;
var<workgroup> low: array<T, WG>;
var<workgroup> sum: array<T, WG>;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    let g = group(id);
    let i = g * WG + l;
    low[l] = LARGEST;
    sum[l] = 0.0;
    if i < P.size { low[l] = A[i]; sum[l] = A[i]; }
    for (var middle = WG / 2u; middle > 0u; middle >>= 1u) {
        workgroupBarrier();
        if l < middle { low[l] = min(low[l], low[l + middle]); sum[l] += sum[l + middle]; }
    }
    if l == 0u { B[2u * g] = low[0]; B[2u * g + 1u] = sum[0]; }
}
