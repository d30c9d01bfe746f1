// One bin for each limb and sign.
fn column(j: u32) -> vec3<u32> { return widened(bin_sum(j)); }
