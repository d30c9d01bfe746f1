// The sums of a combine pass: BINS of them, each in REPLICAS parts.
var<workgroup> bin_parts: array<vec2<u32>, BINS * REPLICAS>;
var<workgroup> bins_flags: atomic<u32>;

fn bin_get(bin: u32, replica: u32) -> vec2<u32> { return bin_parts[bin * REPLICAS + replica]; }
fn bin_set(bin: u32, replica: u32, sum: vec2<u32>) { bin_parts[bin * REPLICAS + replica] = sum; }
fn part_get(s: u32, replica: u32) -> vec2<u32> { return bin_get(s, replica); }
fn part_set(s: u32, replica: u32, sum: vec2<u32>) { bin_set(s, replica, sum); }
fn sum_set(s: u32, sum: vec2<u32>) { bin_set(s, 0u, sum); }
fn bin_sum(s: u32) -> vec2<u32> { return bin_get(s, 0u); }

// ORs flags into the workgroup's. The load skips the atomic where nothing is new, the common case.
fn note_flags(flags: u32) {
    if (flags & ~atomicLoad(&bins_flags)) != 0u { atomicOr(&bins_flags, flags); }
}
