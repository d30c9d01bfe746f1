// Zeros for the number of elements of each group, which workgroups then add to.

@group(0) @binding(2) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read_write> totals: array<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(id: Invocation) {
    let step = params.splits * WORKGROUP_SIZE;
    for (var i = id.workgroup.x * WORKGROUP_SIZE + id.local; i < params.count; i += step) { totals[i] = 0u; }
}
