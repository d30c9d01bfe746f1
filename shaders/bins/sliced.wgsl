// BINS counters of each workgroup in workgroup memory: one slice of all bins, for more of them than it holds. SLICES neighbouring
// workgroups read the same elements, which all but the first find in the cache; each counts what lies in its own slice, and leaves
// these columns in the partial that they share.
//
// Expects: BINS, a multiple of 4 (the last slice may need fewer), COLUMNS (the operator); store_column; column_place
// (histogram/place.wgsl); slice_of, partial_of (rows/sliced.wgsl).
//
// Memory: 4 bytes a counter.

var<workgroup> bins_low: array<atomic<u32>, BINS>;
var<private> first_bin: u32;  // of the slice

fn init_workgroup(id: Invocation) {
    first_bin = slice_of(id.workgroup.x) * BINS;
    for (var c = id.local; c < BINS; c += WORKGROUP_SIZE) { atomicStore(&bins_low[c], 0u); }
    workgroupBarrier();
}

fn replica_of(id: Invocation) -> u32 { return slice_of(id.workgroup.x); }

fn bin_add(bin: u32, slice: u32, amount: u32) {
    let own = bin - first_bin;  // of the slices before it a number far beyond
    if own < BINS { atomicAdd(&bins_low[own], amount); }
}

fn own_column(j: u32) -> vec4<u32> {
    let low = vec2<u32>(atomicLoad(&bins_low[4u * j]), atomicLoad(&bins_low[4u * j + 1u]));
    return vec4<u32>(low, atomicLoad(&bins_low[4u * j + 2u]), atomicLoad(&bins_low[4u * j + 3u]));
}

fn flush(state: State, id: Invocation) {
    workgroupBarrier();
    let first = first_bin / 4u;
    let partial = partial_of(id.workgroup.x);
    for (var j = id.local; (j < BINS / 4u) & (first + j < COLUMNS); j += WORKGROUP_SIZE) {
        store_column(column_place(first + j, partial), own_column(j));
    }
}
