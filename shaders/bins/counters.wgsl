// BINS counters that a workgroup shares, each in REPLICAS replicas, so that neighbouring lanes add to different banks.
// A counter only grows: where SIGNED, bins of the upper half count what is negative. WIDE counters have 64 bits.
//
// Expects: bin_clear, bin_set, bin_get (bins/flat.wgsl or bins/words.wgsl).
// Memory: 4 bytes a counter and replica, where WIDE 8; where sums are wide 8 a sum.

const SUMS = select(BINS, BINS / 2u, SIGNED);  // bin s, less bin SUMS + s where SIGNED

var<workgroup> bins_flags: atomic<u32>;
var<workgroup> wide_sums: array<vec2<u32>, select(1u, SUMS, WIDE_SUMS)>;  // narrow sums take the place of replica 0

fn init_workgroup(id: Invocation) {
    for (var c = id.local; c < BINS * REPLICAS; c += WORKGROUP_SIZE) { bin_clear(c); }
    if id.local == 0u { atomicStore(&bins_flags, 0u); }
    workgroupBarrier();
}

fn replica_of(id: Invocation) -> u32 { return id.local % REPLICAS; }

// Parts of a sum, where its counters have been read: of narrow ones with a sign the high word lies in the other sign's.
fn part_get(s: u32, replica: u32) -> vec2<u32> {
    if WIDE | !SIGNED { return bin_get(s, replica); }
    return vec2<u32>(bin_get(s, replica).x, bin_get(SUMS + s, replica).x);
}

fn part_set(s: u32, replica: u32, sum: vec2<u32>) {
    bin_set(s, replica, sum);
    if !WIDE & SIGNED { bin_set(SUMS + s, replica, sum.yx); }
}

fn sum_set(s: u32, sum: vec2<u32>) {
    if WIDE_SUMS { wide_sums[s] = sum; } else { bin_set(s, 0u, sum); }
}

// Sum s, after fold_replicas.
fn bin_sum(s: u32) -> vec2<u32> {
    if WIDE_SUMS { return wide_sums[s]; }
    return bin_get(s, 0u);
}

// ORs flags into the workgroup's. The load skips the atomic where nothing is new, the common case.
fn note_flags(flags: u32) {
    if (flags & ~atomicLoad(&bins_flags)) != 0u { atomicOr(&bins_flags, flags); }
}

fn subtract64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}
