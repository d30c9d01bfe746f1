// One bin for each limb and sign.

const COLUMNS = LIMBS;

// What the bins of limb j hold.
fn column(j: u32) -> vec3<u32> { return widened(bins_met[j]); }
