//! The kernel of a strided block, and the launch of `columns.wgsl`: many answers a workgroup, by value.

use super::axes::{BlockLaunch, BlockPart, dims_words};
use super::planner::{Planner, Request};
use super::{GroupCost, Kernel, Neighbours, Order, Params, Pass, Store};
use crate::input::{Dim, Strided};
use crate::limits::TRIPS_MAX;

/// Neighbouring groups of columns of a workgroup, and how many a workgroup has where it can have all. An H200, `treefold bench fast_sum
/// --axis 0`, with this changed, by 16, 32 and 64: shape=16384x16384 254.2, 242.4 and 259.7 µs, shape=1048576x256 256.1, 253.6 and 253.0.
const NEIGHBOURS: u64 = 32;
const WHOLE: u64 = 64;
/// Invocations of a workgroup from which on half as many are better, where columns are split over workgroups and a lane has so few rounds of
/// loads: what lanes hold meets sooner. An H200, `treefold bench fast_sum,argmax,sum --axis 0`, with this changed, whole and halved:
/// shape=1024x1024 14.4, 10.9; 15.6, 12.5; 20.8, 21.3 µs, shape=4096x4096 (4 rounds) 34.5, 29.3; 42.7, 36.5; 60.4, 47.8; but
/// shape=1048576x256 (62 rounds) 253.6, 251.0; 294.2, 349.9; 409.6, 413.8.
const SPLIT_SIZE: u64 = 512;
const SPLIT_ROUNDS: u64 = 16;
/// Rounds of loads of a lane along a short row. An H200, `treefold bench --shape 1048576x256 --axis 1`, by 1, 2 and 4: fast_sum 246.1,
/// 242.2 and 264.1 µs, argmax 396.8, 307.4 and 284.1, logsumexp 459.0, 384.4 and 352.0.
const ROUNDS: u64 = 2;
/// What an invocation keeps beside its accumulator, of which the others make it at the end.
struct States {
    /// Rounds of loads of a lane along a short row.
    rounds: u64,
    /// Invocations of a workgroup that reads columns, at most: registers.
    columns_size: u32,
    /// Whether an invocation has one for each column of a load.
    several: bool,
}

/// An H200, by 2, 4 and 8 rounds, with four loads in flight and a window in three words, `treefold bench sum --axis 1`: shape=2097152x128 684, 535
/// and 535 µs, shape=524288x512 725, 554 and 478. By 128, 256 and 512 invocations, `--axis 0`: shape=16384x16384 1329, 795 and 506 µs,
/// shape=1048576x256 608, 414 and 413.
const STATES: States = States { rounds: 8, columns_size: 512, several: true };
/// Words of an accumulator from which on it is long.
const LONG_WORDS: u64 = 17;
/// Beside long accumulators. An H200, by 4, 8, 16 and 32 rounds, `treefold bench variance,norm2 --axis 1`: shape=131072x512 465, 386, 367, 366 and 362,
/// 266, 223, 223 µs, shape=16384x4096 354, 354, 316, 296 and 275, 274, 228, 207. By 128, 256 and 512 invocations, `--axis 0`: shape=8192x8192
/// 481, 497, 497 and 541, 307, 332; with one for each of four columns 616, 642, 643 and 410, 449, 575. (Columns: before lanes met in banks of their own.)
const LONG_STATES: States = States { rounds: 32, columns_size: 256, several: false };
/// Rows that are read by vectors.
const ROWS_IN_VECTORS: Kernel = Kernel::Columns { own: 1, neighbours: Neighbours::Vectors };
/// Invocations of a workgroup that reads short rows, at most.
const SHORT_ROWS_SIZE: u32 = 256;

impl Planner {
    /// Whether rows of this length are better read by a few invocations each than by a workgroup.
    pub(super) fn short(&self, length: u64, strided: &Strided) -> bool {
        strided.answers() > 1 && length <= self.launch.short_rows_max && !self.cost.own_memory && self.by_value()
    }

    /// Whether rows of this length are so many that each is read by one invocation, in whose memory its accumulator lies.
    pub(super) fn alone(&self, length: u64, rows: u64) -> bool {
        self.cost.own_memory && rows > 1 && rows >= length && self.by_value()
    }

    /// Whether many answers are found from what invocations hold for themselves: those of columns, and of short rows.
    pub fn by_columns(&self, strided: &Strided) -> bool {
        strided.answers() > 1 && (strided.across() || strided.length() <= self.launch.short_rows_max)
    }

    /// What an invocation keeps beside its accumulator, if anything.
    fn states(&self) -> Option<&'static States> {
        let states = if self.cost.value_words() < LONG_WORDS { &STATES } else { &LONG_STATES };
        self.cost.own_state.then_some(states)
    }

    /// Whether all that is folded is values that each invocation can hold for itself.
    fn by_value(&self) -> bool {
        matches!(self.cost.groups[..], [GroupCost::Values { .. }])
            && self.columns_trips(Kernel::Columns { own: 1, neighbours: Neighbours::Elements }, 1) <= TRIPS_MAX
    }

    /// Kernel, workgroup and splits of a block.
    pub(super) fn shape(&self, block: &Strided, parts: &[BlockPart], request: &Request, alone: bool) -> BlockLaunch {
        let longest = parts.iter().map(|part| part.strided.length()).max().unwrap_or(0);
        let along = !block.reduced.is_empty() && !block.across();
        // Memory of an invocation holds one answer's: many of them are needed.
        let held = match self.cost.own_memory {
            true => alone || (!along && self.by_value() && block.answers() >= longest),
            false => self.by_value() && (!along || self.short(longest, block)),
        };
        match held {
            true if along && !self.cost.own_memory => self.short_rows_shape(block, parts, longest),
            true if along && self.in_whole_vectors(parts) => {
                // Each invocation takes vectors of a row of its own: half as many loads, none of which is a neighbour's.
                let size = self.columns_size(self.launch.workgroup_size);
                self.columns_of(ROWS_IN_VECTORS, block.answers(), 1, size, longest / self.per_vector())
            }
            true => self.columns_shape(block, parts, longest),
            false => {
                let (workgroup_size, splits) =
                    self.one_by_one().row_shape(longest, block.answers(), self.at_once(request));
                BlockLaunch { kernel: Kernel::Reduce, workgroup_size, answers: 1, lanes: workgroup_size, splits }
            }
        }
    }

    /// Columns: neighbouring invocations have neighbouring groups of answers.
    fn columns_shape(&self, block: &Strided, parts: &[BlockPart], longest: u64) -> BlockLaunch {
        let vector = self.per_vector();
        let several = !self.cost.own_memory && self.states().is_none_or(|states| states.several);
        let vectors = several && !self.one && parts.iter().all(|part| self.in_vectors(part));
        let kernel = |own: u64| Kernel::Columns { own: own as u32, neighbours: Neighbours::Answers };
        let own = if vectors && self.columns_trips(kernel(vector), 1) <= TRIPS_MAX { vector } else { 1 };
        let groups = block.answers() / own;
        let most = self.states().map_or(u32::MAX, |states| states.columns_size);
        let size = self.columns_size(self.launch.workgroup_size.min(most));
        let neighbours = if groups <= WHOLE { groups.next_power_of_two() } else { NEIGHBOURS };
        // Lanes of a group: as many as have a round of loads each, beside groups whose loads coalesce, and as the grid has room for.
        let shape = |size: u64| {
            let lanes = match self.cost.own_memory {
                true => 1,
                false => previous_power((longest / u64::from(self.loads())).clamp(1, size))
                    .min((size / neighbours).max(1))
                    .min(previous_power((size * u64::from(self.launch.workgroups_max) / groups).max(1))),
            };
            self.columns_of(kernel(own), groups, lanes, size, longest)
        };
        let all = shape(size);
        let lanes = u64::from(all.lanes) * u64::from(all.splits);
        let few = u64::from(all.splits) > self.fewest_splits(all.kernel, longest, all.lanes.into())
            && longest <= lanes * u64::from(self.loads()) * SPLIT_ROUNDS;
        if few && size >= SPLIT_SIZE && !self.cost.own_memory { shape(size / 2) } else { all }
    }

    /// Short rows: neighbouring invocations have neighbouring elements of a row, or vectors.
    fn short_rows_shape(&self, block: &Strided, parts: &[BlockPart], longest: u64) -> BlockLaunch {
        let (kernel, loads) = match self.in_whole_vectors(parts) {
            true => (ROWS_IN_VECTORS, longest / self.per_vector()),
            false => (Kernel::Columns { own: 1, neighbours: Neighbours::Elements }, longest),
        };
        let size = self.columns_size(self.launch.workgroup_size.min(SHORT_ROWS_SIZE));
        let subgroup = self.lanes_min(size as u32).map_or(size, u64::from);
        // Lanes of a row: some rounds of loads each.
        let rounds = self.states().map_or(ROUNDS, |states| states.rounds);
        let lanes = match self.tuning.order {
            Order::Striped => (loads / (rounds * u64::from(self.loads()))).max(2),
            Order::Blocked => size * u64::from(self.launch.workgroups_max) / block.answers(),
        };
        let lanes = previous_power(lanes.clamp(1, loads.max(1))).min(subgroup);
        self.columns_of(kernel, block.answers(), lanes, size, loads)
    }

    /// Whether the rows of all parts are whole vectors, and there are trips for one.
    fn in_whole_vectors(&self, parts: &[BlockPart]) -> bool {
        let trips = self.columns_trips(ROWS_IN_VECTORS, 1);
        !self.one && parts.iter().all(|part| self.rows_in_vectors(part)) && trips <= TRIPS_MAX
    }

    /// The shape for so many groups of answers of so many loads each.
    fn columns_of(&self, kernel: Kernel, groups: u64, lanes: u64, size: u64, loads: u64) -> BlockLaunch {
        let own = if let Kernel::Columns { own, .. } = kernel { own } else { 1 };
        let here = size / lanes;
        let workgroups = groups.div_ceil(here);
        let launched = u64::from(self.launch.workgroups_max);
        let fewest = self.fewest_splits(kernel, loads, lanes);
        let most = (loads / (lanes * u64::from(self.loads()))).max(1);
        // A pass that combines costs more than a part of the invocations idle; what lies in memory of an invocation is long.
        let wanted =
            if 4 * workgroups > launched || self.cost.own_memory { 1 } else { (launched / workgroups).min(most) };
        let splits = wanted.max(fewest).min(self.limits.workgroups().into()) as u32;
        BlockLaunch { kernel, workgroup_size: size as u32, answers: here * u64::from(own), lanes: lanes as u32, splits }
    }

    /// Splits that trips ask for, of so many loads by so many lanes.
    fn fewest_splits(&self, kernel: Kernel, loads: u64, lanes: u64) -> u64 {
        loads.div_ceil(lanes * self.columns_loads_max(kernel)).max(1)
    }

    /// The largest workgroup of at most so many invocations whose values workgroup memory holds.
    fn columns_size(&self, wanted: u32) -> u64 {
        let held = self.limits.workgroup_bytes_max / (4 * self.cost.value_words());
        previous_power(u64::from(wanted).min(held.max(1)))
    }

    /// Whether neighbouring columns of a part fill vectors.
    fn in_vectors(&self, part: &BlockPart) -> bool {
        let Some((innermost, outer)) = part.strided.kept.split_last() else { return false };
        self.aligned(part, innermost, outer.iter().chain(&part.strided.reduced))
    }

    /// Whether the rows of a part are whole vectors.
    fn rows_in_vectors(&self, part: &BlockPart) -> bool {
        let [innermost] = &part.strided.reduced[..] else { return false };
        self.aligned(part, innermost, part.strided.kept.iter())
    }

    /// Whether runs of neighbours, `innermost`, begin and end with vectors, wherever the other dimensions have them.
    fn aligned<'d>(&self, part: &BlockPart, innermost: &Dim, others: impl Iterator<Item = &'d Dim>) -> bool {
        let whole = |n: u64| n.is_multiple_of(self.per_vector());
        part.window.is_some()
            && part.beside().is_none()
            && whole(part.first)
            && (innermost.stride, whole(innermost.length)) == (1, true)
            && others.into_iter().all(|dim| whole(dim.stride.unsigned_abs()))
    }

    /// The launch of `columns.wgsl` over a part.
    pub(super) fn columns_pass(
        &self,
        part: &BlockPart,
        shape: BlockLaunch,
        rows: u32,
        own: u32,
        neighbours: Neighbours,
    ) -> Pass {
        let vectors = neighbours == Neighbours::Vectors;
        let one = if own > 1 || vectors { None } else { Some(self.one_by_one()) };
        let planner = one.as_ref().unwrap_or(self);
        let variant = planner.variant(shape.kernel, Store::Partial, shape.workgroup_size, part.beside(), part.rows());
        let per_load = if vectors { self.per_vector() } else { 1 };
        let (count, groups) = (part.strided.length() / per_load, rows / own);
        let lanes = u64::from(shape.lanes) * u64::from(shape.splits);
        let each = count.div_ceil(lanes);
        let (first, grid_stride) = match variant.order {
            Order::Blocked => (each as u32, 1),
            Order::Striped => (1, lanes as u32),
        };
        Pass {
            variant,
            workgroups: groups.div_ceil(shape.workgroup_size / shape.lanes) * shape.splits,
            bindings: Vec::new(),
            params: Params {
                first: (part.first / per_load) as u32,
                count: count as u32,
                stride: shape.lanes,
                splits: shape.splits,
                vectors: first,
                grid_stride,
                rows: groups,
                ..Params::default()
            },
            regions: Vec::new(),
            dims: dims_words(&part.strided, own.into(), per_load),
            trips: self.columns_trips(shape.kernel, each),
        }
    }

    /// Trips of an invocation that takes so many loads of each of its answers.
    fn columns_trips(&self, kernel: Kernel, elements: u64) -> u64 {
        let (own, take) = match kernel {
            Kernel::Columns { neighbours: Neighbours::Vectors, .. } => (1, self.vector_trips()),
            Kernel::Columns { own, .. } => (own.into(), u64::from(own) * self.cost.element_trips),
            _ => (1, self.cost.element_trips),
        };
        let loads = u64::from(self.loads());
        let combine = 1 + self.cost.combine_trips + self.cost.shuffle_trips;
        let ends = 64 + own * (11 * combine + self.cost.once_trips);
        (elements / loads) * (1 + loads * take) + (elements % loads) * (1 + take) + ends
    }

    /// The most loads that an invocation may take.
    fn columns_loads_max(&self, kernel: Kernel) -> u64 {
        let loads = u64::from(self.loads());
        let round = self.columns_trips(kernel, loads) - self.columns_trips(kernel, 0);
        let rounds = TRIPS_MAX.saturating_sub(self.columns_trips(kernel, loads - 1)) / round.max(1);
        (rounds * loads).max(1)
    }
}

/// The largest power of two that is no larger.
pub(super) fn previous_power(n: u64) -> u64 {
    1 << n.max(1).ilog2()
}
