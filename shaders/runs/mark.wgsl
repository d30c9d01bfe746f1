// Runs of equal keys, the first pass: a bit for each key with which a run begins, and how many there are in each tile.
//
// Expects: runs/params.wgsl; begins (runs/keys.wgsl).

@group(0) @binding(1) var<storage, read_write> bits: array<u32>;    // a word for 32 keys
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;  // of each tile

var<workgroup> marks: array<atomic<u32>, WORKGROUP_SIZE>;
var<workgroup> number: atomic<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    for (var tile = workgroup.x; tile < params.tiles; tile += workgroups.x) {
        atomicStore(&marks[local], 0u);
        if local == 0u { atomicStore(&number, 0u); }
        workgroupBarrier();
        // Neighbouring invocations read neighbours, four keys each at a time, and all of them before the first is marked.
        var found = 0u;
        for (var k = 0u; k < 8u; k++) {
            found |= begins(tile * TILE + 4u * (k * WORKGROUP_SIZE + local)) << (4u * k);
        }
        for (var k = 0u; k < 8u; k++) {
            let bits = (found >> (4u * k)) & 15u;
            let here = k * WORKGROUP_SIZE + local;
            if bits != 0u { atomicOr(&marks[here / 8u], bits << (4u * (here % 8u))); }
        }
        workgroupBarrier();
        let mine = atomicLoad(&marks[local]);
        bits[tile * WORKGROUP_SIZE + local] = mine;
        if mine != 0u { atomicAdd(&number, countOneBits(mine)); }
        workgroupBarrier();
        if local == 0u { counts[tile] = atomicLoad(&number); }
    }
}
