// Mike Bailey, Performing Reductions in OpenCL (and CUDA)
// Two arrays are multiplied piecewise, and each workgroup sums its products in place, in workgroup memory.
// The distance doubles from 1; invocation l works while the bits of l under the mask are zero. One partial per
// workgroup.

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(1) var<storage, read> X: array<T>;
@group(0) @binding(2) var<storage, read_write> B: array<T>;
@group(0) @binding(3) var<uniform> P: Params;

var<workgroup> products: array<T, WG>;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    let g = group(id);
    products[l] = A[g * WG + l] * X[g * WG + l];
    for (var offset = 1u; offset < WG; offset *= 2u) {
        let mask = 2u * offset - 1u;
        workgroupBarrier();
        if (l & mask) == 0u { products[l] += products[l + offset]; }
    }
    workgroupBarrier();
    if l == 0u { B[g] = products[0]; }
}
