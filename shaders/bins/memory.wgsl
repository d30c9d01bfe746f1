// BINS counters of each workgroup in its own partial, in the memory of the device, for more of them than workgroup memory
// holds. No other workgroup adds to them, so a barrier of the workgroup suffices; they lie there as flush.wgsl leaves others.
//
// Expects: COLUMNS (the operator); partials_out, word by word; column_place (histogram/place.wgsl); partial_of (rows/*.wgsl).

fn init_workgroup(id: Invocation) {
    let partial = partial_of(id.workgroup.x);
    for (var c = id.local; c < 4u * COLUMNS; c += WORKGROUP_SIZE) { atomicStore(&partials_out[counter_at(c, partial)], 0u); }
    storageBarrier();
}

// The word of a counter: four neighbours are a column.
fn counter_at(bin: u32, partial: u32) -> u32 { return 4u * column_place(bin / 4u, partial) + bin % 4u; }

fn replica_of(id: Invocation) -> u32 { return partial_of(id.workgroup.x); }

fn bin_add(bin: u32, replica: u32, amount: u32) { atomicAdd(&partials_out[counter_at(bin, replica)], amount); }

fn flush(state: State, id: Invocation) {}
