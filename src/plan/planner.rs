//! The planner: its launch shape, and rows × splits of a whole input.

use super::tuning::LOADS_MAX;
use super::windows::{Window, nothing, windows};
use super::{
    Cost, GroupCost, Kernel, Launch, Load, Neighbours, Order, Params, Pass, Plan, ROWS_AT_ONCE, Rows, Store, Tuning,
    Variant, Walk,
};
use crate::error::{Error, Result};
use crate::input::{Ends, Groups, Piece, Strided, Unit};
use crate::limits::{Limits, TRIPS_MAX};

/// The arrangement of the elements of an input by results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement<'a> {
    /// All to one.
    Whole,
    /// By strides over the whole input: in rows, or by axes.
    Strided(&'a Strided),
    /// In segments.
    Segments(Ends),
    /// By keys.
    Groups(Groups<'a>),
}

/// Bytes of counters in the device's memory, those of all workgroups together.
const COUNTERS_BYTES_MAX: u64 = 128 << 20;
/// Bytes of elements that a dispatch may read, however many slices read them.
const DISPATCH_BYTES_LEAST: u64 = 1024;

/// Words of values beside sums in f64 that leave registers for half as many loads. An H200, `treefold bench stats --size 2^28
/// --launch loads_in_flight=2,4 --adapter 0`, which are one load and two here: 394 and 414 µs; of 2^27 f16 278 and 288, f64 665 and 671. Beside none of
/// f64 two are better: of 2^27 i32, with `loads_in_flight=1,2`, 225 and 205.
const BESIDE_WORDS: u64 = 6;

/// A request to a planner.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The input, as one array.
    pub pieces: &'a [Piece],
    /// The arrangement of elements by results.
    pub each: Arrangement<'a>,
    /// Position of the first element of the input, or of every answer.
    pub start: u64,
    /// Whether a pass that reads the input may write results; a buffer may not be read and written in one dispatch.
    pub direct: bool,
    /// The kind of the results.
    pub store: Store,
    /// Word of the output at which the first result begins.
    pub output: u32,
}

impl Request<'_> {
    /// Elements of the input.
    pub(super) fn elements(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.elements).sum()
    }
}

/// The launch shape of one operator on one device: a tuning that keeps the device's limits.
#[derive(Clone, Debug, PartialEq)]
pub struct Planner {
    pub(super) limits: Limits,
    pub(super) tuning: Tuning,
    pub(super) launch: Launch,
    pub(super) cost: Cost,
    /// Whether elements are loaded one at a time, for lack of trips.
    pub(super) one: bool,
}

/// The passes so far.
pub(super) struct Draft {
    pub(super) passes: Vec<Pass>,
    pub(super) scratch_bytes: u64,
    pub(super) accumulators_bytes: u64,
}

impl Planner {
    /// # Errors
    /// [`Error::BadTuning`], [`Error::LimitTooSmall`] or [`Error::TooManyTrips`] where no plan can keep the device's limits.
    pub fn new(limits: Limits, tuning: Tuning, cost: Cost) -> Result<Planner> {
        tuning.check()?;
        let launch = match (cost.has_bins(), cost.carries()) {
            (false, _) if cost.cell.is_some() || cost.float64 => tuning.bins,
            // A long row goes into bins.
            (false, _) if cost.own_state => Launch { short_rows_max: tuning.bins.short_rows_max, ..tuning.fold },
            (false, _) => tuning.fold,
            (true, false) => tuning.counts,
            (true, true) => tuning.bins,
        };
        // No load of 16 bytes has whole elements of 12.
        let one = !16u64.is_multiple_of(cost.element_bytes.max(1));
        let mut planner = Planner { limits, tuning, launch, cost, one };
        if !planner.cost.commutative {
            planner.tuning.order = Order::Blocked;
        }
        if planner.cost.one_load {
            planner.launch.loads_in_flight = 1;
        } else if planner.cost.more_loads && planner.tuning.order == Order::Striped {
            planner.launch.loads_in_flight = (2 * planner.launch.loads_in_flight).min(LOADS_MAX);
        }
        let halved = planner.cost.float64 && planner.cost.has_bins();
        if halved && planner.cost.beside_words >= BESIDE_WORDS {
            planner.launch.loads_in_flight = planner.launch.loads_in_flight.div_ceil(2);
        }
        let workgroups_max = launch.workgroups_max / if halved { 2 } else { 1 };
        planner.launch.workgroups_max = workgroups_max.min(limits.workgroups_max).max(1);
        planner.fit_slices()?;
        planner.launch.workgroup_size = planner.fitting(launch.workgroup_size)?;
        planner.tuning.single_workgroup_size = planner.fitting(tuning.single_workgroup_size)?;
        planner.fit_memory()?;
        planner.fit_trips()?;
        let buffers = if planner.cost.table { 4 } else { 3 };
        if limits.storage_buffers_max < buffers {
            let (limit, value) = ("max_storage_buffers_per_shader_stage", limits.storage_buffers_max.into());
            return Err(Error::LimitTooSmall { limit, value, needs: buffers.into() });
        }
        Ok(planner)
    }

    /// The largest workgroup of at most `wanted` invocations that the device can hold.
    fn fitting(&self, wanted: u32) -> Result<u32> {
        let mut size = wanted;
        while size > self.limits.invocations_max || self.workgroup_bytes(size) > self.limits.workgroup_bytes_max {
            if size == 1 {
                let (value, needs) = (self.limits.workgroup_bytes_max, self.workgroup_bytes(1));
                return Err(Error::LimitTooSmall { limit: "max_compute_workgroup_storage_size", value, needs });
            }
            size /= 2;
        }
        Ok(size)
    }

    /// Fewer workgroups of a slice where there are several slices.
    fn fit_slices(&mut self) -> Result<()> {
        let (slices, most) = (self.cost.slices(), self.limits.workgroups());
        if slices > most {
            let (value, needs) = (most.into(), slices.into());
            return Err(Error::LimitTooSmall { limit: "max_compute_workgroups_per_dimension", value, needs });
        }
        self.launch.workgroups_max = (self.launch.workgroups_max / slices).max(1);
        Ok(())
    }

    /// What partials of many bins need: counters in them few and large workgroups, their combine pass a workgroup for each few columns.
    fn fit_memory(&mut self) -> Result<()> {
        if !self.cost.partials_only() {
            return Ok(());
        }
        if self.cost.in_memory() {
            self.fit_counters()?;
        }
        let combine = self.cost.groups.iter().map(|group| match *group {
            GroupCost::Bins { columns, .. } => columns.div_ceil(self.columns_here(group).into()),
            GroupCost::Values { .. } => 1,
        });
        let (value, needs) = (self.limits.workgroups().into(), combine.max().unwrap_or(1));
        match needs > value {
            true => Err(Error::LimitTooSmall { limit: "max_compute_workgroups_per_dimension", value, needs }),
            false => Ok(()),
        }
    }

    /// Fewer and larger workgroups where each has counters in the device's memory, which it must clear.
    fn fit_counters(&mut self) -> Result<()> {
        let counters = |group: &GroupCost| if let GroupCost::Bins { counters, .. } = group { 4 * counters } else { 0 };
        // One binding holds either partials of atomic counters or the words of others.
        if self.cost.groups.len() > 1 {
            let (value, needs) = (self.limits.workgroup_bytes_max, self.cost.groups.iter().map(counters).sum());
            return Err(Error::LimitTooSmall { limit: "max_compute_workgroup_storage_size", value, needs });
        }
        let room = COUNTERS_BYTES_MAX / self.cost.partial_bytes().max(1);
        self.launch.workgroups_max = u64::from(self.launch.workgroups_max).min(room.max(1)) as u32;
        for size in [&mut self.launch.workgroup_size, &mut self.tuning.single_workgroup_size] {
            while self.cost.partial_bytes() / 4 / u64::from(*size) > TRIPS_MAX / 64
                && 2 * *size <= self.limits.invocations_max
            {
                *size *= 2;
            }
        }
        Ok(())
    }

    /// Whether a pass that reads the input may write results, rather than partials.
    pub(super) fn at_once(&self, request: &Request) -> bool {
        (request.direct || self.finishes_apart(request)) && !self.cost.partials_only()
    }

    /// Fewer loads, elements one at a time, smaller workgroups: until one round fits an invocation's trips.
    fn fit_trips(&mut self) -> Result<()> {
        let fits = |planner: &Planner| {
            let sizes = [planner.launch.workgroup_size, planner.single_size()];
            let reads = sizes.iter().all(|&size| planner.fixed_trips(size) + planner.round_trips() <= TRIPS_MAX);
            // Without shuffles, a smaller workgroup may hold more.
            let reads =
                reads && sizes.iter().all(|&size| planner.workgroup_bytes(size) <= planner.limits.workgroup_bytes_max);
            let combines = planner.cost.groups.iter().all(|group| planner.combine_pass_trips(group, 2) <= TRIPS_MAX);
            reads && combines && planner.cost.finish_pass.is_none_or(|(trips, _)| trips <= TRIPS_MAX)
        };
        if !fits(self) {
            self.launch.loads_in_flight = 1;
        }
        if !fits(self) {
            self.one = true;
        }
        while !fits(self) && self.launch.workgroup_size.max(self.single_size()) > 1 {
            self.launch.workgroup_size = (self.launch.workgroup_size / 2).max(1);
            self.tuning.single_workgroup_size = (self.single_size() / 2).max(1);
        }
        if fits(self) {
            return Ok(());
        }
        // Counters in memory, of which the largest workgroup would clear too many.
        let (most, cleared) = (self.limits.invocations_max, self.fixed_trips(self.limits.invocations_max));
        if self.cost.in_memory() && cleared > TRIPS_MAX {
            let (value, needs) = (most.into(), (cleared * u64::from(most)).div_ceil(TRIPS_MAX));
            return Err(Error::LimitTooSmall { limit: "max_compute_invocations_per_workgroup", value, needs });
        }
        let combines = self.cost.groups.iter().map(|group| self.combine_pass_trips(group, 2));
        let combines = combines.chain(self.cost.finish_pass.map(|(trips, _)| trips)).max().unwrap_or(0);
        Err(self.too_many_trips(combines.max(self.fixed_trips(1) + self.round_trips())))
    }

    /// Of an invocation that would need so many: mostly calls of the function that loops most.
    pub(super) fn too_many_trips(&self, needs: u64) -> Error {
        let (function, trips) = self.cost.longest;
        let calls = (needs / trips.max(1)).max(1);
        Error::TooManyTrips {
            function,
            trips,
            most: TRIPS_MAX.saturating_sub(needs.saturating_sub(calls.saturating_mul(trips))) / calls,
        }
    }

    /// Of a pass with too many trips: because a function loops long, or because dispatches are so many that one workgroup cannot combine
    /// their partials.
    fn too_many(&self, pass: &Pass, elements: u64) -> Error {
        let partials = u64::from(pass.params.count);
        match pass.variant.kernel {
            Kernel::Combine { .. } if partials > self.cost.longest.1 => {
                Error::TooManyPartials { elements, partials, most: self.partials_max() }
            }
            _ => self.too_many_trips(pass.trips),
        }
    }

    /// Bytes of workgroup memory for the counters of a slice of each histogram: what the values of other folds leave.
    pub(crate) fn slice_bytes(limits: Limits, tuning: Tuning, cost: Cost) -> u32 {
        let bins = cost.groups.iter().filter(|group| matches!(group, GroupCost::Bins { .. })).count() as u64;
        let (counters, launch) = (cost.bins_bytes(), tuning.counts);
        let planner = Planner { limits, tuning, launch, cost, one: false };
        let size = launch.workgroup_size.max(tuning.single_workgroup_size).min(limits.invocations_max);
        let values = planner.workgroup_bytes(size) - counters;
        (limits.workgroup_bytes_max.saturating_sub(values) / bins.max(1)).min(u32::MAX.into()) as u32
    }

    /// Bytes of workgroup memory of the kernel that reads elements.
    pub fn workgroup_bytes(&self, workgroup_size: u32) -> u64 {
        let held = match self.lanes_min(workgroup_size) {
            None => workgroup_size,
            Some(lanes_min) => workgroup_size.div_ceil(lanes_min),
        };
        u64::from(held) * self.cost.value_words() * 4 + self.cost.bins_bytes()
    }

    /// Why no pass of an operator whose order is free has subgroup operations, in words: what [`Planner::lanes_min`] goes by.
    pub fn why_no_subgroups(&self) -> &'static str {
        match self.limits.lanes {
            None => "the device has none, or none that are used here",
            Some(_) if !self.tuning.subgroups => "the launch policy leaves them out",
            Some(_) => "workgroups are not whole subgroups of every size that the driver may pick",
        }
    }

    /// Fewest lanes of a subgroup, where a workgroup of this size reduces by shuffles: they need full subgroups, whatever size
    /// the driver picks.
    pub fn lanes_min(&self, workgroup_size: u32) -> Option<u32> {
        let full = |&(_, most): &(u32, u32)| self.tuning.subgroups && workgroup_size.is_multiple_of(most);
        self.limits.lanes.filter(full).filter(|_| self.cost.commutative).map(|(least, _)| least)
    }

    /// Invocations that share a sum: few where there are many sums; many where there are many partials.
    pub(super) fn lanes_per_sum(&self, group: &GroupCost, workgroup_size: u32, combines: bool) -> u32 {
        let GroupCost::Bins { replicas, linked, carries, columns, settle_bytes, .. } = *group else { return 1 };
        if combines && !carries {
            return self.lanes_of_counts(replicas);
        }
        let replicas = replicas.max(1);
        let most = if combines { 32 } else { 8.min(replicas) };
        match self.lanes_min(workgroup_size) {
            Some(lanes) => lanes.min(most),
            None if linked && !combines => 1,
            // Two sums of 8 bytes for each column and each of them; what settles has the rest.
            None if combines => {
                let all = self.limits.workgroup_bytes_max;
                let sums = (all * 3 / 4).min(all.saturating_sub(settle_bytes + 4));
                let room = (sums / (16 * columns.max(1))).max(1);
                u64::from(replicas.min(workgroup_size).min(most)).min(1 << room.ilog2()) as u32
            }
            None => replicas.min(workgroup_size).min(most),
        }
    }

    /// Invocations that share a sum of counts: so many that each loads its partials of a dispatch at once, but no more than leave a
    /// workgroup 128 bytes of neighbouring columns; of few bins, which have replicas, as many as those.
    pub(super) fn lanes_of_counts(&self, replicas: u32) -> u32 {
        let lanes = self.launch.workgroups_max.div_ceil(ROWS_AT_ONCE).next_power_of_two();
        let most = 1 << self.room_of_counts().ilog2();
        lanes.min(most / 8).max(replicas).min(most).max(1)
    }

    /// Invocations for which a combine pass of counts has room: 16 bytes each.
    fn room_of_counts(&self) -> u32 {
        u64::from(self.single_size()).min(self.limits.workgroup_bytes_max / 16).max(1) as u32
    }

    /// Invocations that share a sum of replicas: one number for all bins, so that of the fewest replicas.
    pub(super) fn lanes_of_replicas(&self, workgroup_size: u32) -> u32 {
        let bins = self.cost.groups.iter().filter(|group| matches!(group, GroupCost::Bins { .. }));
        bins.map(|group| self.lanes_per_sum(group, workgroup_size, false)).min().unwrap_or(1)
    }

    /// Columns that a workgroup of a combine pass adds.
    pub(super) fn columns_here(&self, group: &GroupCost) -> u32 {
        match *group {
            GroupCost::Values { .. } => 0,
            GroupCost::Bins { columns, carries: true, .. } => columns as u32,
            GroupCost::Bins { columns, replicas, .. } => {
                u64::from(self.room_of_counts() / self.lanes_of_counts(replicas)).min(columns) as u32
            }
        }
    }

    /// Elements of a vector.
    pub(super) fn per_vector(&self) -> u64 {
        16 / self.cost.element_bytes
    }

    /// Elements of a load.
    pub(super) fn per_load(&self) -> u64 {
        if self.one { 1 } else { self.per_vector() }
    }

    pub(super) fn loads(&self) -> u32 {
        self.launch.loads_in_flight
    }

    pub(super) fn single_size(&self) -> u32 {
        self.tuning.single_workgroup_size
    }

    /// The tuning as the device's limits left it.
    pub fn tuning(&self) -> &Tuning {
        &self.tuning
    }

    /// The policy of the kernel that reads elements, as the device's limits left it.
    pub fn launch(&self) -> &Launch {
        &self.launch
    }

    /// Words from one result to the next.
    pub(super) fn result_words(&self, request: &Request, store: Store) -> u64 {
        match store {
            Store::Partial => 0,
            Store::Sealed => self.sealed_words(request),
            Store::Answer { counted } => self.cost.answer_words + u64::from(counted),
        }
    }

    /// Elements that one dispatch of so many workgroups may read, by trips and by time.
    pub(super) fn dispatch_elements(&self, workgroup_size: u32, workgroups: u32) -> u64 {
        let rounds = TRIPS_MAX.saturating_sub(self.fixed_trips(workgroup_size)) / self.round_trips();
        let rounds = rounds.min(self.rounds_of_counters(workgroup_size)).max(1);
        // Blocks have an odd number of rounds.
        let rounds = if self.tuning.order == Order::Blocked { (rounds - 1) | 1 } else { rounds };
        let vectors = u64::from(workgroup_size) * u64::from(workgroups) * u64::from(self.loads()) * rounds;
        vectors.saturating_mul(self.per_load()).min(self.dispatch_bytes_max() / self.cost.element_bytes)
    }

    /// Bytes of elements of one dispatch: each slice of the bins reads them.
    pub(super) fn dispatch_bytes_max(&self) -> u64 {
        let each = self.tuning.dispatch_bytes_max / u64::from(self.cost.slices());
        each.max(DISPATCH_BYTES_LEAST)
    }

    /// Rounds of loads after which no counter has overflowed, nor behind the ends of a window.
    fn rounds_of_counters(&self, workgroup_size: u32) -> u64 {
        let rounds = |group: &GroupCost| match *group {
            GroupCost::Bins { replicas: replicas @ 1.., elements_max, .. } => {
                let lanes = u64::from(workgroup_size.div_ceil(replicas));
                let ends = 2 * (self.per_load() - 1);
                (elements_max / lanes).saturating_sub(ends) / (u64::from(self.loads()) * self.per_load())
            }
            _ => u64::MAX,
        };
        self.cost.groups.iter().map(rounds).min().unwrap_or(u64::MAX)
    }

    /// Elements of one dispatch: whole loads, so that only the ends of a window are ragged.
    fn chunk(&self, workgroup_size: u32, workgroups: u32) -> u64 {
        let unit = self.per_load();
        (self.dispatch_elements(workgroup_size, workgroups) / unit * unit).max(unit)
    }

    /// Elements that a workgroup reads in a round.
    pub(super) fn tile(&self, workgroup_size: u32) -> u64 {
        u64::from(workgroup_size) * u64::from(self.loads()) * self.per_load()
    }

    /// Whether vectors are loaded as words of 64 bits; elements of other sizes than words' are not loaded in vectors of them.
    fn loads_words64(&self) -> bool {
        self.tuning.words64 && self.limits.words64 && !self.one && matches!(self.cost.element_bytes, 1 | 2 | 4 | 8)
    }

    /// The variant of a pass: the only place that makes one.
    pub(super) fn variant(
        &self,
        kernel: Kernel,
        store: Store,
        workgroup_size: u32,
        beside: Option<Unit>,
        rows: Rows,
    ) -> Variant {
        let (group, combines) = match kernel {
            Kernel::Reduce | Kernel::Columns { .. } | Kernel::Segments { .. } | Kernel::Groups { .. } => (None, false),
            Kernel::Combine { group } => (self.cost.groups.get(group), true),
            Kernel::Carry | Kernel::Finish | Kernel::Clear => (None, true),
        };
        let lanes_min = match kernel {
            // Neighbouring invocations have neighbouring columns of counts.
            Kernel::Combine { group } if matches!(self.cost.groups[group], GroupCost::Bins { carries: false, .. }) => {
                None
            }
            Kernel::Reduce | Kernel::Combine { .. } | Kernel::Groups { replicas: 0, .. } => {
                self.lanes_min(workgroup_size)
            }
            // Neighbours along a row are lanes of a subgroup.
            Kernel::Columns { neighbours, .. } if neighbours != Neighbours::Answers && !self.cost.own_memory => {
                self.lanes_min(workgroup_size)
            }
            Kernel::Segments { walk: Walk::Lanes { .. } | Walk::Clusters { .. } } => self.lanes_min(workgroup_size),
            Kernel::Columns { .. } | Kernel::Segments { .. } | Kernel::Groups { .. } => None,
            Kernel::Carry | Kernel::Clear | Kernel::Finish => None,
        };
        Variant {
            kernel,
            store,
            workgroup_size,
            lanes_min,
            butterfly: lanes_min.and(self.limits.lanes).map_or(0, |(_, most)| most.ilog2()),
            loads_in_flight: self.loads(),
            order: self.tuning.order,
            load: match (self.one && !combines, beside) {
                (false, None) => Load::Vector,
                (false, Some(unit)) => Load::Zipped(unit),
                (true, None) => Load::One,
                (true, Some(unit)) => Load::OneZipped(unit),
            },
            words64: self.loads_words64() && !combines && beside.is_none(),
            rows,
            columns_here: group.map_or(0, |group| self.columns_here(group)),
            lanes_per_sum: match (group, kernel) {
                (_, Kernel::Finish) => self.finish_shape().1,
                (Some(group), _) => self.lanes_per_sum(group, workgroup_size, true),
                (None, _) => self.lanes_of_replicas(workgroup_size),
            },
        }
    }

    /// The launch of `reduce` over rows of so many elements, the first at `first` of the binding.
    pub(super) fn reduce_pass(
        &self,
        variant: Variant,
        splits_max: u32,
        rows: u32,
        first: u64,
        count: u64,
        stride: u64,
    ) -> Pass {
        let (loads, unit) = (u64::from(self.loads()), self.per_load());
        let end = (first + count) / unit;
        // The most vectors of a row, wherever it begins.
        let vectors = if rows > 1 { count / unit } else { end - first.div_ceil(unit).min(end) };
        let group_vectors = u64::from(variant.workgroup_size) * loads;
        let splits = vectors.div_ceil(group_vectors).clamp(1, splits_max.into()) as u32;
        let grid_stride = group_vectors * u64::from(splits);
        let (per_invocation, rounds) = match variant.order {
            // An odd number of rounds: blocks a power of two apart would meet in one set of the cache.
            Order::Blocked => {
                let rounds = vectors.div_ceil(grid_stride) | 1;
                ((rounds * loads) as u32, rounds)
            }
            // Rows that begin elsewhere may have one vector less: their full strides are those of the fewest vectors.
            Order::Striped => {
                let fewest = if rows > 1 { vectors.saturating_sub(1) } else { vectors };
                ((fewest / grid_stride) as u32, vectors.div_ceil(grid_stride))
            }
        };
        Pass {
            variant,
            workgroups: splits * rows * self.cost.slices(),
            bindings: Vec::new(),
            params: Params {
                first: first as u32,
                count: count as u32,
                stride: stride as u32,
                splits,
                vectors: per_invocation,
                grid_stride: grid_stride as u32,
                ..Params::default()
            },
            regions: Vec::new(),
            dims: Vec::new(),
            trips: rounds * self.round_trips() + self.fixed_trips(variant.workgroup_size),
        }
    }

    /// Plans the reduction of the pieces, in their order, as one input or by strides.
    ///
    /// # Errors
    /// [`Error::ViewOutside`], [`Error::ViewTooScattered`]; [`Error::LimitTooSmall`] where even one partial of each dispatch
    /// finds no room; [`Error::TooManyPartials`] where they are too many to combine; [`Error::TooManyTrips`].
    pub fn plan(&self, request: &Request) -> Result<Plan> {
        let elements = request.elements();
        let mut draft = Draft { passes: Vec::new(), scratch_bytes: 0, accumulators_bytes: 0 };
        let (elements, rows) = match request.each {
            Arrangement::Whole => {
                self.whole(&mut draft, request, request.pieces, elements, 0);
                (elements, 1)
            }
            Arrangement::Strided(strided) => {
                strided.check(elements)?;
                self.strided(&mut draft, request, strided)?;
                (strided.answers() * strided.length(), strided.answers())
            }
            Arrangement::Groups(ref groups) => {
                self.groups(&mut draft, request, groups, elements)?;
                (elements, groups.groups)
            }
            Arrangement::Segments(ends) => {
                self.segments(&mut draft, request, ends, elements)?;
                (elements, ends.segments)
            }
        };
        let (value, needs) = (self.limits.binding_bytes_max, draft.scratch_bytes.max(draft.accumulators_bytes));
        if needs > value {
            return Err(Error::LimitTooSmall { limit: "max_storage_buffer_binding_size", value, needs });
        }
        if let Some(pass) = draft.passes.iter().find(|pass| pass.trips > TRIPS_MAX) {
            return Err(self.too_many(pass, elements));
        }
        let Draft { passes, scratch_bytes, accumulators_bytes } = draft;
        Ok(Plan { passes, scratch_bytes, accumulators_bytes, elements, rows })
    }

    /// Plans one row that consists of these pieces, whose result is the n-th.
    pub(super) fn whole(&self, draft: &mut Draft, request: &Request, pieces: &[Piece], elements: u64, row: u64) {
        let windows = windows(pieces, &self.limits, self.cost.element_bytes);
        let small = elements <= self.launch.single_elements_max.min(self.dispatch_elements(self.single_size(), 1))
            && windows.len() <= 1;
        let (size, mut most) =
            if small { (self.single_size(), 1) } else { (self.launch.workgroup_size, self.launch.workgroups_max) };
        // Fewer workgroups where dispatches are so many that one workgroup could not combine all their partials.
        let partials_max = self.partials_max();
        while most > 1 && self.partials_bound(&windows, size, most) > partials_max {
            most /= 2;
        }

        let begin = draft.passes.len();
        let mut partials = 0;
        let mut before = i128::from(request.start);
        for window in &windows {
            let chunk = self.chunk(size, most);
            let (mut first, end) = (window.first, window.first + window.elements);
            while first < end {
                let count = (chunk - first % self.per_load()).min(end - first);
                let variant = self.variant(Kernel::Reduce, Store::Partial, size, window.beside, Rows::One);
                let mut pass = self.reduce_pass(variant, most, 1, first, count, 0);
                window.read_by(&mut pass);
                pass.params.partial = partials;
                let base = before - window.first as i128;
                pass.params.base = [base as u32, (base >> 32) as u32];
                partials += pass.params.splits;
                first += count;
                draft.passes.push(pass);
            }
            before += i128::from(window.elements);
        }
        if draft.passes.len() == begin {
            let variant = self.variant(Kernel::Reduce, Store::Partial, self.single_size(), None, Rows::One);
            let mut pass = self.reduce_pass(variant, 1, 1, 0, 0, 0);
            pass.bindings = nothing();
            draft.passes.push(pass);
            if self.cost.partials_only() {
                self.through_partials(draft, begin, request, 1, 1, 1, elements, row);
            } else {
                self.direct(draft, begin, request, 1, elements, row);
            }
        } else if draft.passes.len() == begin + 1 && partials == 1 && self.at_once(request) {
            self.direct(draft, begin, request, 1, elements, row);
        } else {
            self.through_partials(draft, begin, request, partials, 1, partials, elements, row);
        }
    }

    /// At least as many partials as the windows take with `most` workgroups per dispatch.
    fn partials_bound(&self, windows: &[Window], workgroup_size: u32, most: u32) -> u64 {
        let chunk = self.chunk(workgroup_size, most);
        let tile = self.tile(workgroup_size);
        let bound = |window: &Window| {
            let dispatches = (window.first % self.per_load() + window.elements).div_ceil(chunk);
            (dispatches * u64::from(most)).min(window.elements / tile + dispatches)
        };
        windows.iter().map(bound).sum()
    }
}
