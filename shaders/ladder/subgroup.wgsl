// Khronos OpenCL SDK, sample Reduce
// Changed from tree_identity: the built-in reduction of a subgroup. A step divides the length by twice
// the subgroup's lanes, not by two, so that a handful of barriers suffice. Needs full subgroups.

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(2) var<storage, read_write> B: array<T>;
@group(0) @binding(3) var<uniform> P: Params;

var<workgroup> M: array<T, 2 * WG>;

fn held(i: u32, count: u32) -> T { return select(IDENTITY, M[i], i < count); }

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32,
        @builtin(subgroup_size) lanes: u32, @builtin(subgroup_invocation_id) lane: u32,
        @builtin(subgroup_id) sub: u32, @builtin(num_subgroups) subs: u32) {
    let g = group(id);
    let first = g * 2u * WG;
    let count = min(2u * WG, P.size - first);
    for (var i = l; i < count; i += WG) { M[i] = A[first + i]; }
    workgroupBarrier();
    for (var left = count; left > 1u; left = (left + 2u * lanes - 1u) / (2u * lanes)) {
        let at = sub * 2u * lanes + lane;
        let folded = subgroup_combine(combine(held(at, left), held(at + lanes, left)));
        workgroupBarrier();
        if lane == 0u { M[sub] = folded; }
        workgroupBarrier();
    }
    if l == 0u { B[g] = M[0]; }
}
