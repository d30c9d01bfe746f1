//! Contiguous rows of one length: many in a dispatch where they lie in one window, else one by one.

use super::planner::{Draft, Planner, Request};
use super::windows::{Window, windows};
use super::{GroupCost, Kernel, Store};
use crate::input::Piece;

/// Bytes of the accumulators of rows that are finished together, about.
const ACCUMULATORS_MAX: u64 = 16 << 20;

impl Planner {
    /// Plans rows of one length: many in a dispatch where they lie in one window, one by one where they cross its border or
    /// are longer than a dispatch.
    pub(super) fn rows(&self, draft: &mut Draft, request: &Request, length: u64) {
        let windows = windows(request.pieces, &self.limits, self.cost.element_bytes);
        let mut row = 0;
        // What is left of the row that the windows before have begun.
        let mut owed = 0;
        let mut place = Place { piece: 0, done: 0 };
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
                self.whole(draft, &Request { start: 0, ..*request }, &pieces, length, row);
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
        // A workgroup no larger than its row has loads for.
        let small = length <= self.launch.single_elements_max.min(self.dispatch_elements(self.single_size(), 1));
        let apart = self.finishes_apart(request);
        let single = small && (request.direct || apart);
        let wanted = if small { self.single_size() } else { self.launch.workgroup_size };
        let lanes = self.limits.lanes.map_or(1, |(_, most)| most).min(wanted);
        let needed =
            length.div_ceil(self.per_load() * u64::from(self.loads())).next_power_of_two().min(wanted.into()) as u32;
        let size = if small && !self.cost.has_bins() { needed.max(lanes) } else { wanted };
        let one = self.dispatch_elements(size, 1).saturating_sub(self.per_vector()).max(1);
        let fill = u64::from(self.launch.workgroups_max).div_ceil(rows).min(length.div_ceil(self.tile(size)));
        let splits =
            if single { 1 } else { fill.max(length.div_ceil(one)).clamp(1, self.launch.workgroups_max.into()) as u32 };
        // Dispatches end by workgroups, by bytes, and by the partials that one binding holds.
        let by_groups = u64::from(self.limits.workgroups_max.min(65_535) / splits).max(1);
        let columns = self.cost.groups.iter().map(|group| match *group {
            GroupCost::Bins { columns, .. } => columns.div_ceil(self.columns_here(group).max(1).into()),
            GroupCost::Values { .. } => 1,
        });
        let by_columns = (u64::from(self.limits.workgroups_max.min(65_535)) / columns.max().unwrap_or(1)).max(1);
        let by_bytes = (self.tuning.dispatch_bytes_max / (length * self.cost.element_bytes)).max(1);
        let by_partials = (self.scratch_bytes_max() / (self.cost.partial_bytes().max(1) * u64::from(splits))).max(1);
        let by_accumulators = match apart {
            true => (self.limits.binding_bytes_max.min(ACCUMULATORS_MAX) / (4 * self.cost.sealed_words)).max(1),
            false => u64::MAX,
        };
        let each = by_groups.min(by_bytes).min(by_accumulators).min(if single {
            u64::MAX
        } else {
            by_partials.min(by_columns)
        });
        let mut done = 0;
        while done < rows {
            let now = each.min(rows - done);
            let begin = draft.passes.len();
            let variant = self.variant(Kernel::Reduce, Store::Partial, size, window.zipped, true);
            let mut pass = self.reduce_pass(variant, splits, now as u32, first + done * length, length, length);
            pass.bindings = window.bindings.clone();
            pass.params.partner = window.partner;
            let splits = pass.params.splits;
            let partials = pass.workgroups;
            draft.passes.push(pass);
            if single {
                self.direct(draft, begin, request, now as u32, length, row + done);
            } else {
                self.through_partials(draft, begin, request, partials, now as u32, splits, length, row + done);
            }
            done += now;
        }
    }
}

/// A place in the pieces.
struct Place {
    piece: usize,
    done: u64,
}

impl Place {
    fn skip(&mut self, pieces: &[Piece], elements: u64) {
        self.take(pieces, elements);
    }

    /// The next elements, as pieces.
    fn take(&mut self, pieces: &[Piece], elements: u64) -> Vec<Piece> {
        let mut taken = Vec::new();
        let mut left = elements;
        while let Some(piece) = pieces.get(self.piece).filter(|_| left > 0) {
            let now = left.min(piece.elements - self.done);
            if now > 0 {
                taken.push(piece.part(self.done, now));
            }
            left -= now;
            self.done += now;
            if self.done == piece.elements {
                (self.piece, self.done) = (self.piece + 1, 0);
            }
        }
        taken
    }
}
