//! What shaders/top/edge.wgsl takes, which finds the rank of the last candidate that is wanted, and those that bring the best in order behind it:
//! take.wgsl, sort.wgsl.

/// Bits of a digit.
const BITS: u32 = 8;
/// Sums of neighbouring counters.
const SUMS: u64 = 16;

/// Bytes of workgroup memory: a counter of each digit, sums of them, what has been found.
pub(super) const EDGE_BYTES: u64 = (4 << BITS) + 4 * SUMS + 16;

/// Loop trips of an invocation of a workgroup of so many that finds an edge, where it looks at `each` candidates each time.
pub(super) fn edge_trips(workgroup_size: u32, rank_bytes: u64, each: u64) -> u64 {
    let by_all = |count: u64| count.div_ceil(workgroup_size.into());
    let clear = by_all(1 << BITS);
    let digit = clear + each + by_all(SUMS) * (1 + (1 << BITS) / SUMS) + SUMS + (1 << BITS) / SUMS;
    clear + each + 8 * rank_bytes + 8 * rank_bytes / u64::from(BITS) * (1 + digit)
}

/// Those where it finds the best and their places besides.
pub(super) fn taking_trips(workgroup_size: u32, rank_bytes: u64, each: u64) -> u64 {
    let scan = u64::from(workgroup_size.ilog2()) + 1;
    edge_trips(workgroup_size, rank_bytes, each) + 2 * (each + scan)
}

/// Those of sorting a list with so much room.
pub(super) fn sort_trips(workgroup_size: u32, room: u32) -> u64 {
    let steps = u64::from(room.ilog2()) + 1;
    let by_all = |count: u32| u64::from(count.div_ceil(workgroup_size));
    2 * steps + by_all(room) + steps * (steps + 1) / 2 * (1 + by_all(room / 2))
}
