// Khronos OpenCL SDK, sample Reduce
// The sample's third kernel calls a reduction of the whole workgroup that OpenCL 2 has built in. WGSL has none;
// this is what it would do: reduce each subgroup, pass one value of each through workgroup memory, reduce those.
// One barrier.

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(2) var<storage, read_write> B: array<T>;
@group(0) @binding(3) var<uniform> P: Params;

var<workgroup> M: array<T, WG>;

fn held(i: u32) -> T {
    if i < P.size { return A[i]; }
    return IDENTITY;
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32,
        @builtin(subgroup_size) lanes: u32, @builtin(subgroup_invocation_id) lane: u32,
        @builtin(subgroup_id) sub: u32, @builtin(num_subgroups) subs: u32) {
    let g = group(id);
    let i = g * 2u * WG + l;
    let folded = subgroup_combine(combine(held(i), held(i + WG)));
    if lane == 0u { M[sub] = folded; }
    workgroupBarrier();
    var acc = IDENTITY;
    for (var s = lane; s < subs; s += lanes) { acc = combine(acc, M[s]); }
    acc = subgroup_combine(acc);
    if l == 0u { B[g] = acc; }
}
