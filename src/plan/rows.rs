//! Contiguous rows of one length: many in a dispatch where they lie in one window, else one by one.

use super::planner::{Draft, Planner, Request};
use super::results::COUNT_WORDS;
use super::windows::{Window, windows};
use super::{GroupCost, Kernel, Rows, Store};
use crate::input::Taken;

/// Bytes of the accumulators of rows that are finished together, at most. An H200, `treefold bench variance`, by 64 and 256 MiB:
/// `--size 2^26 --segments 128` 1028 and 704 µs; `--shape 4194304x64,2097152x128 --axis 1` 3157, 1869 and 2834, 1741.
const ACCUMULATORS_MAX: u64 = 256 << 20;

/// Fewest invocations of a workgroup that reads a row longer than a round of its loads. An H200, `treefold bench --shape 16384x16384 --axis
/// 1`, by workgroups of 128, 256 and 1024: argmax 260.9, 279.1 and 479.6 µs, fast_sum 232.7, 232.0 and 264.0.
const ROW_SIZE: u64 = 128;

impl Planner {
    /// Plans rows of one length: many in a dispatch where they lie in one window, one by one where they cross its border or
    /// are longer than a dispatch.
    pub(super) fn rows(&self, draft: &mut Draft, request: &Request, length: u64) {
        let windows = windows(request.pieces, &self.limits, self.cost.element_bytes);
        let mut row = 0;
        // The rest of the row that the windows before have begun.
        let mut owed = 0;
        let mut place = Taken::default();
        for window in &windows {
            let skip = owed.min(window.elements);
            owed -= skip;
            let left = window.elements - skip;
            let whole = if self.row_fits(length) { left / length } else { 0 };
            if whole > 0 {
                self.rows_of_window(draft, request, window, window.first + skip, length, whole, row);
                row += whole;
                place.skip(request.pieces, whole * length);
            }
            let mut rest = left - whole * length;
            // Rows that end behind this window, or are too long for one dispatch.
            while rest > 0 {
                let pieces = place.take(request.pieces, length);
                self.whole(draft, request, &pieces, length, row);
                row += 1;
                let here = rest.min(length);
                rest -= here;
                owed = length - here;
            }
        }
    }

    /// Whether one dispatch may read a row.
    fn row_fits(&self, length: u64) -> bool {
        let (size, most) = (self.launch.workgroup_size, self.launch.workgroups_max);
        length + self.per_vector()
            <= self.dispatch_elements(size, most).min(self.dispatch_elements(self.single_size(), most))
            && u64::from(most) <= self.partials_max()
    }

    /// Rows that lie in one window, from its element `first` on.
    #[allow(clippy::too_many_arguments)]
    fn rows_of_window(
        &self,
        draft: &mut Draft,
        request: &Request,
        window: &Window,
        first: u64,
        length: u64,
        rows: u64,
        row: u64,
    ) {
        let apart = self.finishes_apart(request);
        let single = self.is_small(length) && self.at_once(request);
        let (size, splits) = self.row_shape(length, rows, single);
        // Dispatches end by workgroups, by bytes, and by the partials that one binding holds.
        let by_groups = u64::from(self.limits.workgroups() / (splits * self.cost.slices())).max(1);
        let by_bytes = (self.dispatch_bytes_max() / (length * self.cost.element_bytes)).max(1);
        let by_accumulators = if apart { self.finished_together() } else { u64::MAX };
        let by_partials = if single { u64::MAX } else { self.combined_together(splits.into()) };
        let each = by_groups.min(by_bytes).min(by_accumulators).min(by_partials);
        let mut done = 0;
        while done < rows {
            let now = each.min(rows - done);
            let begin = draft.passes.len();
            let variant = self.variant(Kernel::Reduce, Store::Partial, size, window.beside, Rows::Many);
            let mut pass = self.reduce_pass(variant, splits, now as u32, first + done * length, length, length);
            pass.bindings = window.bindings.clone();
            pass.params.partner = window.partner;
            pass.params.base = [request.start as u32, (request.start >> 32) as u32];
            let splits = pass.params.splits;
            let partials = splits * now as u32;
            draft.passes.push(pass);
            if single {
                self.direct(draft, begin, request, now as u32, length, row + done);
            } else {
                self.through_partials(draft, begin, request, partials, now as u32, splits, length, row + done);
            }
            done += now;
        }
    }

    /// Whether one workgroup reads a row.
    fn is_small(&self, length: u64) -> bool {
        length <= self.launch.single_elements_max.min(self.dispatch_elements(self.single_size(), 1))
    }

    /// The workgroup, and how many of them read a row of so many elements, where there are so many rows. `direct`: one, where it
    /// is small.
    pub(super) fn row_shape(&self, length: u64, rows: u64, direct: bool) -> (u32, u32) {
        // A workgroup no larger than its row has loads for.
        let small = self.is_small(length);
        let wanted = if small { self.single_size() } else { self.launch.workgroup_size };
        let lanes = self.limits.lanes.map_or(1, |(_, most)| most).min(wanted);
        let round = self.per_load() * u64::from(self.loads());
        // Where rows fill the device, small workgroups: a large one waits for all of its own too often.
        let launched = u64::from(wanted) * u64::from(self.launch.workgroups_max);
        let filling = (launched / rows.max(1)).next_power_of_two().max(ROW_SIZE);
        let needed = length.div_ceil(round).next_power_of_two().min(filling).min(wanted.into()) as u32;
        let size = if small && !self.cost.has_bins() { needed.max(lanes) } else { wanted };
        let one = self.dispatch_elements(size, 1).saturating_sub(self.per_vector()).max(1);
        let fill = u64::from(self.launch.workgroups_max).div_ceil(rows).min(length.div_ceil(self.tile(size)));
        let splits = fill.max(length.div_ceil(one)).clamp(1, self.launch.workgroups_max.into()) as u32;
        (size, if small && direct { 1 } else { splits })
    }

    /// Rows whose accumulators are finished together, at most: by the binding, and by the workgroups.
    pub(super) fn finished_together(&self) -> u64 {
        let by_bytes =
            self.limits.binding_bytes_max.min(ACCUMULATORS_MAX) / (4 * (self.cost.sealed_words + COUNT_WORDS));
        let (size, lanes) = self.finish_shape();
        by_bytes.min(u64::from(self.limits.workgroups()) * u64::from(size / lanes)).max(1)
    }

    /// Rows of so many partials each that are combined together, at most: by the binding, and by the workgroups.
    pub(super) fn combined_together(&self, splits: u64) -> u64 {
        let columns = self.cost.groups.iter().map(|group| match *group {
            GroupCost::Bins { columns, .. } => columns.div_ceil(self.columns_here(group).max(1).into()),
            GroupCost::Values { .. } => 1,
        });
        let by_columns = u64::from(self.limits.workgroups()) / columns.max().unwrap_or(1);
        let by_partials = self.scratch_bytes_max() / (self.cost.partial_bytes().max(1) * splits.max(1));
        by_columns.min(by_partials).max(1)
    }
}
