// Runs of equal keys, the first pass: a bit for each key with which a run begins, and how many there are in each tile.
//
// Expects: runs/params.wgsl; begins (runs/keys.wgsl).

@group(0) @binding(1) var<storage, read_write> bits: array<u32>;    // a word for 32 keys
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;  // of each tile

const TOGETHER = 8u;  // keys that an invocation reads at a time

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
        // Neighbouring invocations read neighbours, each several keys before it marks the first of them.
        for (var done = 0u; done < 32u; done += TOGETHER) {
            var found = 0u;
            for (var k = 0u; k < TOGETHER; k++) {
                let i = tile * TILE + (done + k) * WORKGROUP_SIZE + local;
                found |= select(0u, 1u << k, begins(min(i, params.count - 1u)) & (i < params.count));
            }
            for (; found != 0u; found &= found - 1u) {
                let here = (done + firstTrailingBit(found)) * WORKGROUP_SIZE + local;
                atomicOr(&marks[here / 32u], 1u << (here % 32u));
            }
        }
        workgroupBarrier();
        let mine = atomicLoad(&marks[local]);
        bits[tile * WORKGROUP_SIZE + local] = mine;
        if mine != 0u { atomicAdd(&number, countOneBits(mine)); }
        workgroupBarrier();
        if local == 0u { counts[tile] = atomicLoad(&number); }
    }
}
