// One bin for each limb and sign.
fn column(j: u32) -> vec3<u32> { return widened(bin_sum(j)); }

fn column_of_bins(j: u32) -> vec4<u32> { return vec4<u32>(column(j), atomicLoad(&bins_flags)); }
