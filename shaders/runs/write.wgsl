// Runs of equal keys, the third pass: where each begins, and its key, dense.
//
// Expects: runs/params.wgsl; key_at (runs/keys.wgsl); sum_before (runs/before.wgsl); WORDS.

@group(0) @binding(1) var<storage, read> bits: array<u32>;                // a bit for each key with which a run begins
@group(0) @binding(2) var<storage, read> counts: array<u32>;              // runs that begin before each tile
@group(0) @binding(3) var<storage, read_write> offsets: array<u32>;
@group(0) @binding(4) var<storage, read_write> found: array<u32>;         // the keys of the runs

const ROOM = 8u * WORKGROUP_SIZE;

var<workgroup> starts: array<u32, ROOM>;  // keys with which runs begin, dense

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    for (var tile = workgroup.x; tile < params.tiles; tile += workgroups.x) {
        let word = tile * WORKGROUP_SIZE + local;
        let mine = bits[word];
        let before = sum_before(countOneBits(mine), local);
        let number = workgroupUniformLoad(&sums[WORKGROUP_SIZE - 1u]);
        // As many as there is room for at a time, so that neighbouring invocations write neighbours.
        for (var low = 0u; low < number; low += ROOM) {
            workgroupBarrier();
            var place = before - low;
            for (var left = mine; left != 0u; left &= left - 1u) {
                if place < ROOM { starts[place] = word * 32u + firstTrailingBit(left); }
                place++;
            }
            workgroupBarrier();
            for (var k = local; k < min(number - low, ROOM); k += WORKGROUP_SIZE) {
                let run = counts[tile] + low + k;
                let i = starts[k];
                if run <= params.room { offsets[params.offset + run] = i; }
                if run < params.room {
                    let key = key_at(i);
                    let at = params.key + run * WORDS;
                    found[at] = key.x;
                    if WORDS == 2u { found[at + 1u] = key.y; }
                }
            }
        }
    }
}
