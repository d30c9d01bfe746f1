// Runs of equal keys, the third pass: where each begins, and its key, dense.
//
// Expects: runs/params.wgsl; key_at (runs/keys.wgsl); sum_before (runs/before.wgsl); WORDS.

@group(0) @binding(1) var<storage, read> bits: array<u32>;                // a bit for each key with which a run begins
@group(0) @binding(2) var<storage, read> counts: array<u32>;              // runs that begin before each tile
@group(0) @binding(3) var<storage, read_write> offsets: array<u32>;
@group(0) @binding(4) var<storage, read_write> found: array<u32>;         // the keys of the runs

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    for (var tile = workgroup.x; tile < params.tiles; tile += workgroups.x) {
        let word = tile * WORKGROUP_SIZE + local;
        var left = bits[word];
        var run = counts[tile] + sum_before(countOneBits(left), local);
        for (; left != 0u; left &= left - 1u) {
            let i = word * 32u + firstTrailingBit(left);
            if run <= params.room { offsets[params.offset + run] = i; }
            if run < params.room {
                let key = key_at(i);
                let at = params.key + run * WORDS;
                found[at] = key.x;
                if WORDS == 2u { found[at + 1u] = key.y; }
            }
            run++;
        }
    }
}
