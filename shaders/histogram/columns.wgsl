// Counts of a workgroup as columns, four bins in each.
//
// Expects: bin_sum (bins/counters.wgsl), SLOTS.

fn column_of_bins(j: u32) -> vec4<u32> {
    return vec4<u32>(count_of(4u * j), count_of(4u * j + 1u), count_of(4u * j + 2u), count_of(4u * j + 3u));
}

fn count_of(bin: u32) -> u32 {
    if bin < SLOTS { return bin_sum(bin).x; }
    return 0u;
}
