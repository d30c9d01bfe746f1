//! Answers whose lists had no room: each is found digit by digit by a workgroup (shaders/top/by_digits.wgsl).

use super::edge::{EDGE_BYTES, sort_trips, taking_trips};
use super::teams::SIZE;
use crate::error::{Error, Result};
use crate::limits::{Limits, TRIPS_MAX};

/// Workgroups that look for such answers, where there are answers enough.
const WORKGROUPS: u64 = 1024;

/// All that the text depends on besides the elements' type and how many are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DigitRules {
    /// Invocations of a workgroup.
    pub workgroup_size: u32,
    /// Elements of a list that workgroup memory holds.
    pub room: u32,
}

impl DigitRules {
    /// # Errors
    /// [`Error::LimitTooSmall`].
    pub fn of(limits: &Limits, wanted: u32, rank_bytes: u64) -> Result<DigitRules> {
        let workgroup_size = 1 << SIZE.min(limits.invocations_max).max(1).ilog2();
        let rules = DigitRules { workgroup_size, room: wanted.max(2).next_power_of_two() };
        // Sums of invocations and numbers of answers; single words.
        let bytes = u64::from(rules.room) * (rank_bytes + 4) + 8 * u64::from(workgroup_size) + EDGE_BYTES + 32;
        if bytes > limits.workgroup_bytes_max {
            let (limit, value) = ("max_compute_workgroup_storage_size", limits.workgroup_bytes_max);
            return Err(Error::LimitTooSmall { limit, value, needs: bytes });
        }
        Ok(rules)
    }

    /// Loop trips of an invocation for an answer of so many elements, which lie by so many dimensions of answers and of elements besides the
    /// outermost.
    pub(super) fn trips(&self, wanted: u32, rank_bytes: u64, length: u64, (kept, reduced): (u64, u64)) -> u64 {
        let (each, place) = (length.div_ceil(self.workgroup_size.into()), 1 + reduced);
        let taking = taking_trips(self.workgroup_size, rank_bytes, each * place) + each * reduced;
        let left = u64::from(wanted.div_ceil(self.workgroup_size)) * place;
        1 + kept + reduced + taking + sort_trips(self.workgroup_size, self.room) + left
    }

    /// Answers of a workgroup, at most, where each takes so many trips.
    fn batch_max(&self, trips: u64) -> u64 {
        (TRIPS_MAX / trips.max(1)).clamp(1, self.workgroup_size.into())
    }

    /// Answers of a dispatch, at most.
    pub(super) fn together(&self, limits: &Limits, trips: u64) -> u64 {
        u64::from(limits.workgroups()) * self.batch_max(trips)
    }

    /// Workgroups, and the answers at which each of them looks.
    pub(super) fn workgroups(&self, limits: &Limits, answers: u64, trips: u64) -> (u32, u32) {
        let most = self.batch_max(trips);
        let batch = answers.div_ceil(WORKGROUPS).min(most).max(answers.div_ceil(u64::from(limits.workgroups()))).max(1);
        (answers.div_ceil(batch) as u32, batch as u32)
    }
}
