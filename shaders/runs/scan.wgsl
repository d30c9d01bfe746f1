// Runs of equal keys, the second pass: one workgroup turns the number of runs in each tile into how many begin before it, and
// leaves how many there are in all and where the last one ends.
//
// Expects: runs/params.wgsl; sum_before (runs/before.wgsl).

@group(0) @binding(2) var<storage, read_write> counts: array<u32>;   // of each tile
@group(0) @binding(3) var<storage, read_write> offsets: array<u32>;  // where each run begins, and the last one ends
@group(0) @binding(5) var<storage, read_write> result: array<u32>;   // how many there are

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(local_invocation_index) local: u32) {
    let each = (params.tiles + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
    let low = min(local * each, params.tiles);
    let high = min(low + each, params.tiles);
    var mine = 0u;
    for (var tile = low; tile < high; tile++) { mine += counts[tile]; }
    var before = sum_before(mine, local);
    for (var tile = low; tile < high; tile++) {
        let here = counts[tile];
        counts[tile] = before;
        before += here;
    }
    if local == WORKGROUP_SIZE - 1u {
        // Where there is no room for them all, the run behind the last one that is written begins there.
        if before <= params.room { offsets[params.offset + before] = params.count; }
        result[params.number] = before;
        if params.seal != 0u { result[params.number + 1u] = params.seal; }
    }
}
