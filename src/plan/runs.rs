//! Runs of equal keys: the launch of the three passes that find them.

use crate::error::{Error, Result};
use crate::limits::{Limits, TRIPS_MAX};

/// Invocations of a workgroup, where there may be so many; and of the one that scans the numbers of all tiles. An H200, `treefold bench
/// fast_sum --size 2^27 --runs 16,65536`: 785.9 and 482.4 µs; with workgroups of 128 826.2, 523.6, of 512 788.1, 482.2; with 256 that scan
/// 802.4, 504.4, with 512 801.1, 497.2.
const SIZE: u32 = 256;
const SCAN_SIZE: u32 = 1024;
/// Keys of an invocation: a word has a bit for each.
const KEYS: u64 = 32;
/// Storage buffers of the pass that has most.
const BUFFERS: u32 = 5;

/// The launch of the passes over so many keys: `mark` and `write` by workgroups that take tiles in turn, `scan` by one workgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Runs {
    /// Invocations of a workgroup.
    pub workgroup_size: u32,
    /// Invocations of the workgroup that scans.
    pub scan_size: u32,
    /// Tiles of 32 keys an invocation.
    pub tiles: u32,
    /// Workgroups of the passes over tiles.
    pub workgroups: u32,
    /// Bytes of the bits, in scratch memory.
    pub bits_bytes: u64,
    /// The aligned byte behind the bits at which the counts of tiles begin.
    pub counts_at: u64,
    /// Bytes of scratch memory.
    pub scratch_bytes: u64,
    /// Loop trips of the busiest invocation.
    pub trips: u64,
}

impl Runs {
    /// # Errors
    /// [`Error::LimitTooSmall`] where a binding has no room for the keys, or one workgroup no trips for their tiles.
    pub fn of(limits: &Limits, keys: u64, key_bytes: u64) -> Result<Runs> {
        let small = |limit, value: u64, needs: u64| Err(Error::LimitTooSmall { limit, value, needs });
        if limits.storage_buffers_max < BUFFERS {
            let (value, needs) = (limits.storage_buffers_max.into(), BUFFERS.into());
            return small("max_storage_buffers_per_shader_stage", value, needs);
        }
        let fitting = |size: u32, bytes: u64| {
            let room = (limits.workgroup_bytes_max / bytes).clamp(1, size.into()) as u32;
            1u32 << room.min(limits.invocations_max).max(1).ilog2()
        };
        // A sum of each invocation, and where a workgroup writes, eight starts.
        let (workgroup_size, scan_size) = (fitting(SIZE, 4 * (1 + 8)), fitting(SCAN_SIZE, 4));
        let size = u64::from(workgroup_size);
        // Offsets are one more than there are keys, at most.
        let needs = (keys * key_bytes).max(4 * (keys + 1)) + limits.storage_alignment;
        if needs > limits.binding_bytes_max {
            return small("max_storage_buffer_binding_size", limits.binding_bytes_max, needs);
        }
        let tiles = keys.div_ceil(KEYS * size);
        let most = u64::from(limits.workgroups());
        let workgroups = tiles.min(most).max(1);
        let steps = |size: u32| u64::from(size.ilog2()) + 1;
        // Starts of runs are laid out in workgroup memory, at most four times, and written eight by eight.
        let tile = 1 + steps(workgroup_size) + 4 * (1 + KEYS + 8);
        let scan = 2 * tiles.div_ceil(scan_size.into()) + steps(scan_size);
        let trips = (tiles.div_ceil(workgroups) * tile).max(scan);
        if trips > TRIPS_MAX {
            let (value, needs) = (limits.invocations_max.into(), (2 * size).max(trips.div_ceil(TRIPS_MAX) * size));
            return small("max_compute_invocations_per_workgroup", value, needs);
        }
        let bits_bytes = (4 * size * tiles).max(4);
        let counts_at = bits_bytes.next_multiple_of(limits.storage_alignment);
        let (tiles, workgroups) = (tiles as u32, workgroups as u32);
        let scratch_bytes = counts_at + 4 * u64::from(tiles.max(1));
        Ok(Runs { workgroup_size, scan_size, tiles, workgroups, bits_bytes, counts_at, scratch_bytes, trips })
    }
}
