//! Loop trips of one invocation: what each kernel's loops may take.

use super::planner::Planner;
use super::{GroupCost, ROWS_AT_ONCE};
use crate::limits::TRIPS_MAX;

impl Planner {
    /// Trips of a round of loads.
    pub(super) fn round_trips(&self) -> u64 {
        let each = if self.one { self.cost.element_trips } else { self.vector_trips() };
        1 + u64::from(self.loads()) * each
    }

    pub(super) fn vector_trips(&self) -> u64 {
        self.cost.vector_trips.unwrap_or(self.per_vector() * self.cost.element_trips)
    }

    /// Trips of the block reduction of values.
    pub(super) fn reduce_trips(&self, workgroup_size: u32) -> u64 {
        if self.cost.value_words() == 0 {
            return 0;
        }
        let combine = 1 + self.cost.combine_trips;
        match self.lanes_min(workgroup_size) {
            None => (u64::from(workgroup_size.max(1).ilog2()) + 1) * combine,
            Some(lanes_min) => {
                let step = 1 + combine + self.cost.shuffle_trips;
                2 * 8 * step + (u64::from(workgroup_size.div_ceil(lanes_min).div_ceil(lanes_min)) + 1) * combine
            }
        }
    }

    /// Trips of clearing, folding and settling bins.
    fn bins_trips(&self, workgroup_size: u32) -> u64 {
        let size = u64::from(workgroup_size);
        let each = |group: &GroupCost| match *group {
            GroupCost::Values { .. } => 0,
            GroupCost::Bins { columns, replicas: 0, .. } => 32 + (4 * columns).div_ceil(size),
            GroupCost::Bins { counters, slices: 1.., .. } => {
                32 + counters.div_ceil(size) + (counters / 4).div_ceil(size)
            }
            GroupCost::Bins { columns, counters, sums, replicas, settle_trips: (settle, column), .. } => {
                let lanes = u64::from(self.lanes_of_replicas(workgroup_size));
                let folds = (sums * lanes).div_ceil(size) * (8 + u64::from(replicas).div_ceil(lanes));
                let clear = (counters * u64::from(replicas)).div_ceil(size);
                32 + clear + folds + (1 + column) * columns.div_ceil(size) + settle
            }
        };
        self.cost.groups.iter().map(each).sum()
    }

    /// Trips around the main loop: head and tail, the block reduction, bins, and the words of a result.
    pub(super) fn fixed_trips(&self, workgroup_size: u32) -> u64 {
        let ends = if self.one { 0 } else { 2 * (self.per_vector() - 1) * (1 + self.cost.element_trips) };
        ends + self.round_trips()
            + 64
            + self.reduce_trips(workgroup_size)
            + self.bins_trips(workgroup_size)
            + self.cost.once_trips
    }

    /// Trips of a combine pass over so many partials of a row.
    pub(super) fn combine_pass_trips(&self, group: &GroupCost, partials: u64) -> u64 {
        let size = self.single_size();
        let fixed = 64 + self.cost.once_trips;
        match *group {
            GroupCost::Values { .. } => {
                partials.div_ceil(size.into()) * (1 + self.cost.combine_trips) + self.reduce_trips(size) + fixed
            }
            GroupCost::Bins { carries: false, replicas, .. } => {
                let (lanes, columns) = (u64::from(self.lanes_of_counts(replicas)), u64::from(self.columns_here(group)));
                let rounds = partials.div_ceil(lanes * u64::from(ROWS_AT_ONCE));
                rounds + u64::from(lanes.ilog2()) + (4 * columns).div_ceil(size.into()) + fixed
            }
            GroupCost::Bins { settle_trips: (settle, _), .. } => {
                let lanes = u64::from(self.lanes_per_sum(group, size, true));
                let columns = u64::from(self.columns_here(group));
                let turns = (columns * lanes).div_ceil(size.into());
                let sums = (2 * columns * lanes).div_ceil(size.into());
                turns * (1 + partials.div_ceil(lanes * u64::from(ROWS_AT_ONCE)))
                    + 8 * (1 + sums)
                    + 5 * columns.div_ceil(size.into())
                    + settle
                    + fixed
            }
        }
    }

    /// Partials of a row that the combine passes can read, by their bindings and their trips.
    pub(super) fn partials_max(&self) -> u64 {
        let most = |group: &GroupCost| {
            let bound = self.limits.binding_bytes_max / group.partial_bytes().max(1);
            // Trips grow with the partials: the most that fit, by halves.
            let (mut fit, mut beyond) = (1, bound + 1);
            while fit + 1 < beyond {
                let middle = fit + (beyond - fit) / 2;
                if self.combine_pass_trips(group, middle) <= TRIPS_MAX { fit = middle } else { beyond = middle }
            }
            fit
        };
        let each = self.cost.groups.iter().map(most).min().unwrap_or(1);
        each.min((self.scratch_bytes_max() / self.cost.partial_bytes().max(1)).max(1))
    }

    /// Bytes of the partials of all groups: their regions lie in one buffer, each aligned.
    pub(super) fn scratch_bytes_max(&self) -> u64 {
        let gaps = self.cost.groups.len().saturating_sub(1) as u64;
        self.limits.binding_bytes_max.saturating_sub(gaps * self.limits.storage_alignment)
    }
}
