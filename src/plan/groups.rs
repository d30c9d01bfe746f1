//! Groups by keys that only the device knows, unsorted: as many at a time as an invocation holds accumulators for.

use super::planner::{Draft, Planner, Request};
use super::windows::{Window, windows};
use super::{Binding, GroupCost, Kernel, Load, Order, Params, Pass, Resource, Rows, Store};
use crate::error::{Error, Result};
use crate::input::{Groups, Piece, Taken};
use crate::limits::TRIPS_MAX;

// Figures: an H200, `treefold bench fast_sum --size 2^28 --groups 8,37`, with the constant changed, in µs; as they stand 1158.9 and 5762.6.

/// Words of accumulators that an invocation holds, about: in registers.
const HELD_WORDS: u64 = 48;
/// Groups of an invocation at most. 10 (with 96 words): 1157.1, and 5480.1 where they read four times in place of five; 16: 1157.4, 7241.5.
const OWN_MAX: u64 = 8;
/// Invocations of a workgroup at most. 128: 1165.8, 5806.5; 512: 1205.0, 5999.8.
const SIZE: u32 = 256;
/// Cells of a group at most, where invocations share them. 8 and 16 differ by less than 1 percent (`max --size 2^27 --groups 37`).
const REPLICAS_MAX: u64 = 32;
/// Elements of a window that are worth vectors, which leave passes for its ends.
const VECTORS_MIN: u64 = 1 << 10;
/// Loads in flight at most. 1: 1219.8, 6050.4; 4: 1394.6, 6952.3.
const LOADS_MAX: u32 = 2;
/// Dispatches of one plan at most.
const DISPATCHES_MAX: u64 = 1 << 16;
/// Bytes of partials at most.
const PARTIALS_BYTES: u64 = 256 << 20;
/// Dispatches over all elements of one submission for the host, about.
const TOGETHER: u64 = 512;
/// Workgroups that clear totals, at most. 16 and 256 differ by less than 1 percent.
const CLEARING: u64 = 64;

/// The launch of a dispatch over groups.
struct GroupLaunch {
    kernel: Kernel,
    size: u32,
    own: u32,
    loads: u32,
    /// Rounds of loads that an invocation has trips for.
    rounds_max: u64,
    /// Trips beside those for rounds, and those for a round.
    trips: (u64, u64),
    /// Whether vectors are read where elements and keys allow it.
    vectors: bool,
}

impl GroupLaunch {
    /// Loads of a workgroup in a round.
    fn tile(&self) -> u64 {
        u64::from(self.loads) * u64::from(self.size)
    }

    /// Loads of so many workgroups, at most.
    fn reads_max(&self, workgroups: u64) -> u64 {
        self.rounds_max.saturating_mul(self.tile()).saturating_mul(workgroups).max(1)
    }
}

/// Neighbouring elements and their keys, of one dispatch.
struct Chunk<'w> {
    window: &'w Window,
    /// The resource of the keys, and the word of the first.
    keys: (Resource, u32),
    /// The first element, as the window's binding counts; elements; elements of the input before the window.
    first: u64,
    elements: u64,
    before: u64,
    /// Whether vectors are read, of elements and of keys.
    vectors: bool,
}

impl Chunk<'_> {
    /// Elements of a load.
    fn unit(&self) -> u32 {
        if self.vectors { 4 } else { 1 }
    }

    /// Loads of all.
    fn reads(&self) -> u64 {
        self.elements / u64::from(self.unit())
    }
}

impl Planner {
    /// Plans the answers of groups.
    ///
    /// Source: accumulators held apart and met at the end, as for a privatised histogram; here by invocation, since any operator's
    /// accumulator can be held, and only integers can be added to by several at once.
    pub(super) fn groups(
        &self,
        draft: &mut Draft,
        request: &Request,
        groups: &Groups<'_>,
        elements: u64,
    ) -> Result<()> {
        let [ref cost @ GroupCost::Values { words }] = self.cost.groups[..] else {
            return Err(Error::NotBySegments { operator: "the operator" });
        };
        if self.cost.too_long_by_value {
            return Err(Error::NotBySegments { operator: "the operator" });
        }
        if !self.cost.commutative {
            return Err(Error::OrderOfGroups);
        }
        let most = u64::from(u32::MAX);
        if elements > most {
            return Err(Error::GroupsTooMany { elements, groups: groups.groups, most });
        }
        if self.limits.storage_buffers_max < 5 {
            let (limit, value) = ("max_storage_buffers_per_shader_stage", self.limits.storage_buffers_max.into());
            return Err(Error::LimitTooSmall { limit, value, needs: 5 });
        }
        let shape = self.groups_shape(words, groups.groups)?;
        let pairs = self.pairs(request.pieces, groups.keys);
        let totals = (4 * groups.groups).next_multiple_of(self.limits.storage_alignment);
        let each = 4 * words * groups.groups;
        let room = self.limits.binding_bytes_max.saturating_sub(totals);
        let splits_max = (room / each).min(self.partials_max());
        let wanted = self.workgroups_of(shape.size).min((PARTIALS_BYTES / each).max(1));
        let (mut workgroups, mut chunks) = (wanted.min(splits_max), Vec::new());
        while workgroups > 0 {
            chunks = cut(&pairs, &shape, shape.reads_max(workgroups), self.dispatch_elements_max());
            let fit = splits_max / (chunks.len() as u64).max(1);
            if workgroups <= fit {
                break;
            }
            workgroups = fit.min(workgroups - 1);
        }
        if workgroups == 0 {
            let (limit, value) = ("max_storage_buffer_binding_size", self.limits.binding_bytes_max);
            return Err(Error::LimitTooSmall { limit, value, needs: totals + each * (chunks.len() as u64).max(1) });
        }
        let dispatches = (chunks.len() as u64).max(1) * groups.groups.div_ceil(shape.own.into());
        if dispatches > DISPATCHES_MAX {
            let most = DISPATCHES_MAX * u64::from(shape.own) / (chunks.len() as u64).max(1);
            return Err(Error::GroupsTooMany { elements, groups: groups.groups, most });
        }
        let splits = |chunk: &Chunk| (chunk.reads().div_ceil(shape.tile())).clamp(1, workgroups) as u32;
        let splits: Vec<u32> = chunks.iter().map(splits).collect();
        let all: u32 = splits.iter().sum();
        let partials = totals..totals + each * u64::from(all.max(1));
        draft.scratch_bytes = draft.scratch_bytes.max(partials.end);
        let totals = Resource::Scratch { bytes: 0..4 * groups.groups };
        draft.passes.push(self.clear(&totals, groups.groups));
        for number in (0..groups.groups).step_by(shape.own as usize) {
            let here = (groups.groups - number).min(shape.own.into()) as u32;
            let mut done = 0;
            for (chunk, &workgroups) in chunks.iter().zip(&splits) {
                let mut pass = self.groups_pass(&shape, chunk, workgroups);
                pass.bindings.push(Binding { slot: 3, resource: Resource::Scratch { bytes: partials.clone() } });
                pass.bindings.push(Binding { slot: 5, resource: totals.clone() });
                let base = i128::from(request.start) + i128::from(chunk.before) - i128::from(chunk.window.first);
                pass.params = Params {
                    grid_stride: (groups.first + number) as u32,
                    rows: here,
                    output: number as u32,
                    partial: number as u32 * all + done,
                    partials: all * groups.groups as u32,
                    row_partials: all,
                    base: [base as u32, (base >> 32) as u32],
                    ..pass.params
                };
                draft.passes.push(pass);
                done += workgroups;
            }
        }
        self.groups_meet(draft, request, cost, (partials, totals), groups.groups, all);
        Ok(())
    }

    /// Groups that one submission takes for the host, about: so many that it has some hundred dispatches, which read everything.
    pub fn groups_together(&self, elements: u64) -> Result<u64> {
        let words = self.cost.value_words().max(1);
        let shape = self.groups_shape(words, u32::MAX.into())?;
        let chunk = shape.reads_max(self.workgroups_of(shape.size)).min(self.dispatch_elements_max());
        let chunks = elements.div_ceil(chunk).max(1);
        let by_partials = PARTIALS_BYTES.min(self.limits.binding_bytes_max / 2) / (4 * (words + 1) * chunks);
        Ok((TOGETHER * u64::from(shape.own) / chunks).min(by_partials).max(1))
    }

    /// Workgroups of this size that have as many invocations together as the launch policy's, at most.
    fn workgroups_of(&self, size: u32) -> u64 {
        let invocations = u64::from(self.launch.workgroup_size) * u64::from(self.launch.workgroups_max);
        (invocations / u64::from(size)).clamp(1, self.limits.workgroups().into())
    }

    /// Elements that one dispatch may read by its time.
    fn dispatch_elements_max(&self) -> u64 {
        (self.tuning.dispatch_bytes_max / self.cost.element_bytes).max(1)
    }

    /// The passes that combine the partials of all groups, and finish.
    fn groups_meet(
        &self,
        draft: &mut Draft,
        request: &Request,
        cost: &GroupCost,
        (partials, totals): (std::ops::Range<u64>, Resource),
        groups: u64,
        splits: u32,
    ) {
        let apart = if self.finishes_apart(request) { self.finished_together() } else { u64::MAX };
        let together = apart.min(self.limits.workgroups().into());
        let size = self.single_size();
        for row in (0..groups).step_by(together as usize) {
            let rows = together.min(groups - row) as u32;
            let (store, resource, output) = self.destination(draft, request, rows, row);
            draft.passes.push(Pass {
                variant: self.variant(Kernel::Combine { group: 0 }, store, size, None, Rows::Groups),
                workgroups: rows,
                bindings: vec![
                    Binding { slot: 0, resource: Resource::Scratch { bytes: partials.clone() } },
                    Binding { slot: 3, resource },
                    Binding { slot: 4, resource: totals.clone() },
                ],
                params: Params {
                    first: row as u32 * splits,
                    count: splits,
                    stride: splits,
                    splits: 1,
                    vectors: splits.div_ceil(size),
                    partials: groups as u32 * splits,
                    output,
                    rows: row as u32,
                    ..Params::default()
                },
                regions: Vec::new(),
                dims: Vec::new(),
                trips: self.combine_pass_trips(cost, splits.into()),
            });
            self.finish(draft, request, rows, 0, row, Rows::Groups);
        }
    }

    fn groups_shape(&self, words: u64, groups: u64) -> Result<GroupLaunch> {
        if let Some(shape) = self.cells_shape(groups) {
            return Ok(shape);
        }
        let size = SIZE.min(self.launch.workgroup_size);
        let memory = self.limits.workgroup_bytes_max.saturating_sub(self.workgroup_bytes(size)) / 4;
        let loads = self.loads().min(LOADS_MAX);
        let round = 1 + u64::from(loads) * self.cost.element_trips;
        let each = 4 + self.cost.once_trips + self.reduce_trips(size);
        // Own accumulators are long.
        let held = if self.cost.own_state { 1 } else { (HELD_WORDS / (words + 1)).clamp(1, OWN_MAX) };
        let trips = ((TRIPS_MAX / 2).saturating_sub(64) / each).max(1);
        let own = held.min(groups).min(memory).min(trips).max(1);
        let fixed = 64 + own * each;
        if fixed + round > TRIPS_MAX {
            return Err(self.too_many_trips(fixed + round));
        }
        if memory == 0 {
            let (limit, value) = ("max_compute_workgroup_storage_size", self.limits.workgroup_bytes_max);
            return Err(Error::LimitTooSmall { limit, value, needs: self.workgroup_bytes(size) + 4 });
        }
        let rounds_max = (TRIPS_MAX - fixed) / round;
        let kernel = Kernel::Groups { own: own as u32, replicas: 0 };
        Ok(GroupLaunch { kernel, size, own: own as u32, loads, rounds_max, trips: (fixed, round), vectors: false })
    }

    /// As many groups at a time as workgroup memory has cells for, each in so many replicas that neighbouring lanes seldom meet.
    fn cells_shape(&self, groups: u64) -> Option<GroupLaunch> {
        let (words, add, read) = self.cost.cell?;
        let (size, loads) = (self.launch.workgroup_size, self.loads());
        // A word more counts the cell's elements.
        let cells = self.limits.workgroup_bytes_max / (4 * (words + 1));
        let replicas = (cells / groups.clamp(1, cells.max(1))).clamp(1, REPLICAS_MAX);
        let replicas = 1 << replicas.ilog2();
        // Few texts for all numbers of groups.
        let step = (groups.checked_next_power_of_two().unwrap_or(u64::MAX) / 8).max(1);
        let own = groups.div_ceil(step).saturating_mul(step).min(cells / replicas);
        let turns = |of: u64| of.div_ceil(size.into());
        let each = self.cost.combine_trips + self.cost.shuffle_trips + 1;
        let clear = turns(own * replicas) * (words + self.cost.shuffle_trips + 2);
        let fixed = 64 + clear + turns(own * replicas) * (1 + read) + turns(own) * (1 + replicas * each);
        let vectors = self.cost.element_bytes == 4;
        let round = 1 + u64::from(loads) * add * if vectors { 4 } else { 1 };
        let rounds_max = TRIPS_MAX.checked_sub(fixed)? / round;
        let kernel = Kernel::Groups { own: own as u32, replicas: replicas as u32 };
        let trips = (fixed, round);
        (own > 0 && rounds_max > 0).then_some(GroupLaunch {
            kernel,
            size,
            own: own as u32,
            loads,
            rounds_max,
            trips,
            vectors,
        })
    }

    fn groups_pass(&self, shape: &GroupLaunch, chunk: &Chunk<'_>, workgroups: u32) -> Pass {
        let mut variant =
            self.one_by_one().variant(shape.kernel, Store::Partial, shape.size, chunk.window.beside, Rows::Groups);
        (variant.loads_in_flight, variant.order) = (shape.loads, Order::Striped);
        if chunk.vectors {
            variant.load = Load::Vector;
        }
        let rounds = chunk.reads().div_ceil(shape.tile() * u64::from(workgroups));
        let mut bindings = chunk.window.bindings.clone();
        bindings.push(Binding { slot: 6, resource: chunk.keys.0.clone() });
        Pass {
            variant,
            workgroups,
            bindings,
            params: Params {
                first: chunk.first as u32 / chunk.unit(),
                count: chunk.elements as u32 / chunk.unit(),
                stride: chunk.keys.1 / chunk.unit(),
                splits: workgroups,
                vectors: rounds as u32,
                partner: chunk.window.partner,
                ..Params::default()
            },
            regions: Vec::new(),
            dims: Vec::new(),
            trips: shape.trips.0 + rounds * shape.trips.1,
        }
    }

    /// The pass that clears the number of elements of each group.
    fn clear(&self, totals: &Resource, groups: u64) -> Pass {
        let size = self.single_size();
        let splits = groups.div_ceil(size.into()).clamp(1, CLEARING.min(self.limits.workgroups_max.into())) as u32;
        Pass {
            variant: self.variant(Kernel::Clear, Store::Partial, size, None, Rows::One),
            workgroups: splits,
            bindings: vec![
                Binding { slot: 0, resource: Resource::Placeholder },
                Binding { slot: 3, resource: totals.clone() },
            ],
            params: Params { count: groups as u32, splits, ..Params::default() },
            regions: Vec::new(),
            dims: Vec::new(),
            trips: groups.div_ceil(u64::from(splits) * u64::from(size)),
        }
    }

    /// Elements and their keys, cut where either is.
    fn pairs(&self, elements: &[Piece], keys: &[Piece]) -> Vec<(Window, Resource, u32)> {
        // Of both, what one binding covers.
        let most = (self.limits.binding_bytes_max - self.limits.storage_alignment) / self.cost.element_bytes.max(4);
        let (mut taken, mut all) = (Taken::default(), Vec::new());
        for window in windows(elements, &self.limits, self.cost.element_bytes) {
            let mut done = 0;
            while done < window.elements {
                let now = most.min(window.elements - done);
                let mut from = done;
                for piece in taken.take(keys, now) {
                    for bound in windows(&[piece], &self.limits, 4) {
                        let part = Window { first: window.first + from, elements: bound.elements, ..window.clone() };
                        from += bound.elements;
                        all.push((part, bound.bindings[1].resource.clone(), bound.first as u32));
                    }
                }
                done += now;
            }
        }
        all
    }
}

/// Pairs in chunks of at most so many loads and elements: vectors where elements and keys lie alike and are not few.
fn cut<'w>(pairs: &'w [(Window, Resource, u32)], shape: &GroupLaunch, reads: u64, elements: u64) -> Vec<Chunk<'w>> {
    let (mut chunks, mut before) = (Vec::new(), 0);
    for (window, keys, word) in pairs {
        let Window { first, elements: all, .. } = *window;
        let alike =
            shape.vectors && window.grid.is_none() && window.beside.is_none() && first % 4 == u64::from(word % 4);
        let (begin, end) = match alike && all >= VECTORS_MIN {
            true => (first.next_multiple_of(4) - first, (first + all) / 4 * 4 - first),
            false => (0, 0),
        };
        for (range, vectors) in [(0..begin, false), (begin..end, true), (end..all, false)] {
            let most = match vectors {
                true => (reads.saturating_mul(4).min(elements) / 4 * 4).max(4),
                false => reads.min(elements),
            };
            for done in range.clone().step_by(most as usize) {
                chunks.push(Chunk {
                    window,
                    keys: (keys.clone(), word + done as u32),
                    first: first + done,
                    elements: most.min(range.end - done),
                    before,
                    vectors,
                });
            }
        }
        before += all;
    }
    chunks
}
