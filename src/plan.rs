//! From lengths and limits to dispatches: pure arithmetic, plain data, tested without a GPU.
//!
//! ```text
//! pieces of the input ──► reduce passes ──► partials ──► combine pass ──► one slot
//! small input ──────────► one workgroup ──────────────────────────────► one slot
//! ```

use crate::error::{Error, Result};
use crate::shader::{Finish, Kernel, ROWS, Variant};
use crate::tuning::{Layout, Tuning};

/// Loop trips of one invocation at most, all its loops together. Software adapters stop silently at 65,535.
pub const TRIPS_MAX: u64 = 16_384;

/// What a plan must know of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facts {
    /// Bytes that one storage binding may cover.
    pub binding_bytes_max: u64,
    /// What the offset of a storage binding must be a multiple of; a multiple of 16.
    pub storage_alignment: u64,
    /// What the offset of a uniform binding must be a multiple of.
    pub uniform_alignment: u64,
    /// Invocations of a workgroup at most.
    pub invocations_max: u32,
    /// Workgroups of a dispatch along one dimension at most.
    pub workgroups_max: u32,
    /// Bytes of workgroup memory.
    pub workgroup_bytes_max: u64,
    /// Fewest and most lanes of a subgroup; `None` where the device has no subgroup operations.
    pub lanes: Option<(u32, u32)>,
}

impl Facts {
    /// Reads them off a device.
    ///
    /// # Errors
    /// [`Error::LimitTooSmall`] where no plan could keep the device's limits.
    pub fn of(device: &wgpu::Device) -> Result<Facts> {
        let (limits, info) = (device.limits(), device.adapter_info());
        let subgroups = device.features().contains(wgpu::Features::SUBGROUP) && info.subgroup_min_size >= 4;
        let storage_alignment = u64::from(limits.min_storage_buffer_offset_alignment).max(16);
        let needs = [
            ("max_storage_buffers_per_shader_stage", u64::from(limits.max_storage_buffers_per_shader_stage), 3),
            ("max_storage_buffer_binding_size", limits.max_storage_buffer_binding_size, 2 * storage_alignment),
            ("max_compute_invocations_per_workgroup", limits.max_compute_invocations_per_workgroup.into(), 1),
            ("max_compute_workgroup_size_x", limits.max_compute_workgroup_size_x.into(), 1),
            ("max_compute_workgroups_per_dimension", limits.max_compute_workgroups_per_dimension.into(), 1),
            ("max_compute_workgroup_storage_size", limits.max_compute_workgroup_storage_size.into(), 256),
        ];
        if let Some(&(limit, value, needs)) = needs.iter().find(|&&(_, value, needs)| value < needs) {
            return Err(Error::LimitTooSmall { limit, value, needs });
        }
        Ok(Facts {
            // Vulkan and DX12 end at 2^31 - 4 bytes; Metal has computed wrongly past 2^32.
            binding_bytes_max: limits.max_storage_buffer_binding_size.min((1 << 31) - 4) / storage_alignment
                * storage_alignment,
            storage_alignment,
            uniform_alignment: u64::from(limits.min_uniform_buffer_offset_alignment).max(16),
            invocations_max: limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x),
            workgroups_max: limits.max_compute_workgroups_per_dimension,
            workgroup_bytes_max: limits.max_compute_workgroup_storage_size.into(),
            lanes: subgroups.then_some((info.subgroup_min_size, info.subgroup_max_size)),
        })
    }
}

/// What a plan must know of an operator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Bytes of one accumulator.
    pub acc_bytes: u64,
    /// Whether its order is free.
    pub commutative: bool,
    /// Bytes of one element: 2, 4 or 8.
    pub element_bytes: u64,
    /// 64-bit counters in workgroup memory that the operator's own functions use.
    pub counters: u64,
    /// What a workgroup leaves for the next pass, where the operator folds the workgroup itself, in those counters.
    pub gathered: Option<Gathered>,
    /// Whether one load at a time is enough for it.
    pub heavy: bool,
    /// Loop trips of one `combine`, and of the operator's other functions together.
    pub combine_trips: u64,
    /// See `combine_trips`.
    pub trips: u64,
}

impl Shape {
    /// An operator over 32-bit elements that is all loops of the kernels' own.
    pub const fn plain(acc_bytes: u64, commutative: bool) -> Shape {
        Shape {
            acc_bytes,
            commutative,
            element_bytes: 4,
            counters: 0,
            gathered: None,
            heavy: false,
            combine_trips: 0,
            trips: 0,
        }
    }

    /// Bytes of one partial.
    pub fn partial_bytes(&self) -> u64 {
        self.gathered.map_or(self.acc_bytes, |gathered| 16 * gathered.columns)
    }
}

/// How an operator folds its workgroup itself: limb by limb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gathered {
    /// Limbs that its counters reach, 16 bytes of a partial each.
    pub columns: u64,
    /// 64-bit sums that meet in a workgroup: pairs of counters, or two for each limb.
    pub sums: u64,
    /// Copies of every counter.
    pub copies: u32,
}

/// A part of the input: so many elements from an element on, in the n-th buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Which buffer.
    pub buffer: usize,
    /// Its first element, counted from the start of the buffer.
    pub first: u64,
    /// How many elements.
    pub elements: u64,
    /// The second input of pairs that are zipped: buffer and first element. Its elements, and this one's, are words then.
    pub other: Option<(usize, u64)>,
}

impl Piece {
    /// Elements of one buffer.
    pub const fn of(buffer: usize, first: u64, elements: u64) -> Piece {
        Piece { buffer, first, elements, other: None }
    }
}

/// What one dispatch is told; `Params` in params.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Params {
    /// The binding's element (or partial) at which the dispatch begins.
    pub first: u32,
    /// How many it reads.
    pub count: u32,
    /// Blocks: quads (or partials) per invocation at most. Tiles: whole rounds.
    pub run: u32,
    /// Quads that all invocations read in a round.
    pub round: u32,
    /// Where results go.
    pub slot: u32,
    /// Of zipped inputs: from an element of the first to its partner in the second, modulo 2^32.
    pub shift: u32,
    /// Place of the binding's element 0 in the whole input, modulo 2^64.
    pub base: [u32; 2],
    /// Elements of the whole input.
    pub total: [u32; 2],
}

/// What a pass reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A window of an input buffer, in bytes. Its offset keeps the device's alignment.
    Window {
        /// Which buffer.
        buffer: usize,
        /// First byte.
        offset_bytes: u64,
        /// Bytes, a multiple of 4.
        size_bytes: u64,
        /// The same of the second input where two are zipped: buffer, first byte, bytes.
        other: Option<(usize, u64, u64)>,
    },
    /// Nothing at all: the input is empty.
    Nothing,
    /// The partials.
    Partials,
}

/// Where a pass leaves its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// In the partials.
    Partials,
    /// In the place that the caller of the plan names.
    Result,
}

/// One dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// Which kernel.
    pub kernel: Kernel,
    /// Invocations of a workgroup.
    pub workgroup_size: u32,
    /// Workgroups.
    pub workgroups: u32,
    /// What it reads.
    pub source: Source,
    /// Where its results go.
    pub target: Target,
    /// What it is told.
    pub params: Params,
    /// Loop trips of its busiest invocation.
    pub trips: u64,
}

/// All dispatches of one reduction, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The dispatches.
    pub passes: Vec<Pass>,
    /// Partials in all.
    pub partials: u64,
    /// Bytes of the partials.
    pub scratch_bytes: u64,
    /// Elements in all.
    pub elements: u64,
}

/// The launch shape of one operator on one device: a tuning that keeps the device's limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Planner {
    facts: Facts,
    tuning: Tuning,
    shape: Shape,
}

impl Planner {
    /// # Errors
    /// [`Error::BadTuning`] or [`Error::LimitTooSmall`] where no plan can keep the device's limits.
    pub fn new(facts: Facts, tuning: Tuning, shape: Shape) -> Result<Planner> {
        tuning.check()?;
        let mut planner = Planner { facts, tuning, shape };
        if !shape.commutative {
            planner.tuning.layout = Layout::Blocked;
        }
        if shape.gathered.is_some() {
            planner.tuning.loads_in_flight = tuning.bins_loads_in_flight;
            planner.tuning.single_elements_max = tuning.single_elements_max.min(tuning.bins_single_elements_max);
        }
        if shape.heavy {
            planner.tuning.loads_in_flight = 1;
        }
        planner.tuning.workgroups_max = tuning.workgroups_max.min(facts.workgroups_max).max(1);
        planner.tuning.workgroup_size = planner.fitting(tuning.workgroup_size)?;
        planner.tuning.single_workgroup_size = planner.fitting(tuning.single_workgroup_size)?;
        Ok(planner)
    }

    /// The largest workgroup of at most `wanted` invocations that the device can hold.
    fn fitting(&self, wanted: u32) -> Result<u32> {
        let mut size = wanted;
        let fits = |size: u32| {
            let variant = self.variant(Kernel::Reduce, size);
            // The counters come with a few words of their own.
            let own = if self.shape.counters > 0 { self.shape.counters * 8 + 64 } else { 0 };
            size <= self.facts.invocations_max
                && variant.workgroup_bytes(self.shape.acc_bytes) + own <= self.facts.workgroup_bytes_max
        };
        while !fits(size) {
            if size == 1 {
                let (value, needs) = (self.facts.workgroup_bytes_max, self.shape.acc_bytes);
                return Err(Error::LimitTooSmall { limit: "max_compute_workgroup_storage_size", value, needs });
            }
            size /= 2;
        }
        Ok(size)
    }

    /// How a workgroup of this size finishes. Shuffles need full subgroups, whatever size the driver picks.
    pub fn finish(&self, workgroup_size: u32) -> Finish {
        let full = |&(_, lanes_max): &(u32, u32)| self.tuning.subgroups && workgroup_size.is_multiple_of(lanes_max);
        match self.facts.lanes.filter(full) {
            lanes if self.shape.gathered.is_some() => Finish::Gathered { lanes_min: lanes.map(|(min, _)| min) },
            Some((lanes_min, _)) if self.shape.commutative => Finish::Subgroups { lanes_min },
            _ => Finish::Tree,
        }
    }

    /// The shader variant of a kernel at a workgroup size, storing partials.
    pub fn variant(&self, kernel: Kernel, workgroup_size: u32) -> Variant {
        Variant {
            kernel,
            store: crate::shader::Store::Partial,
            finish: self.finish(workgroup_size),
            workgroup_size,
            loads_in_flight: self.tuning.loads_in_flight,
            layout: self.tuning.layout,
            zipped: false,
        }
    }

    /// Elements of 16 bytes.
    fn quad(&self) -> u64 {
        16 / self.shape.element_bytes
    }

    /// The tuning as the device's limits left it.
    pub fn tuning(&self) -> &Tuning {
        &self.tuning
    }

    /// Loop trips of the workgroup's last steps.
    fn finish_trips(&self, workgroup_size: u32) -> u64 {
        let log2 = |n: u32| u64::from(n.max(1).ilog2()) + 1;
        let combine = 1 + self.shape.combine_trips;
        match self.finish(workgroup_size) {
            Finish::Gathered { .. } => self.gather_trips(workgroup_size),
            Finish::Tree => log2(workgroup_size) * combine,
            Finish::Subgroups { lanes_min } => {
                // Where a combine loops over limbs, so does a shuffle.
                let step = combine + self.shape.combine_trips;
                2 * 8 * step + (u64::from(workgroup_size.div_ceil(lanes_min).div_ceil(lanes_min)) + 1) * combine
            }
        }
    }

    /// Loop trips where the operator folds the workgroup itself: the shares of every sum and how they meet, and the columns.
    fn gather_trips(&self, workgroup_size: u32) -> u64 {
        let Some(Gathered { columns, sums, copies }) = self.shape.gathered else { return 0 };
        let size = u64::from(workgroup_size);
        let trips = |kernel: Kernel| {
            let seats = self.seats(kernel, workgroup_size);
            (sums * seats).div_ceil(size) * (8 + u64::from(copies).div_ceil(seats))
        };
        24 + trips(Kernel::Reduce).max(trips(Kernel::Combine)) + 5 * columns.div_ceil(size)
    }

    /// How many invocations share a sum then.
    fn seats(&self, kernel: Kernel, workgroup_size: u32) -> u64 {
        let copies = self.shape.gathered.map_or(1, |gathered| gathered.copies);
        self.variant(kernel, workgroup_size).seats(copies).into()
    }

    /// Loop trips of the busiest invocation that reads so many partials.
    fn combine_trips(&self, partials: u64) -> u64 {
        let size = self.tuning.single_workgroup_size;
        let Some(Gathered { columns, .. }) = self.shape.gathered else {
            return partials.div_ceil(size.into()) * (1 + self.shape.combine_trips);
        };
        let seats = self.seats(Kernel::Combine, size);
        (columns * seats).div_ceil(size.into()) * (1 + partials.div_ceil(seats * u64::from(ROWS)))
    }

    /// Trips around the main loop: the ragged ends, the rest of a round, the finish, and the answer's words; the counters,
    /// which are cleared and added up.
    fn fixed_trips(&self, workgroup_size: u32) -> u64 {
        let ends = 2 * (self.quad() - 1) + u64::from(self.tuning.loads_in_flight) + 64;
        let counters = 2 * self.shape.counters.div_ceil(workgroup_size.into()) + 32;
        ends + self.finish_trips(workgroup_size) + self.shape.trips + counters
    }

    /// Elements that one dispatch of so many workgroups may read, by trips and by time.
    fn dispatch_elements(&self, workgroup_size: u32, workgroups: u32) -> u64 {
        let rounds = TRIPS_MAX.saturating_sub(self.fixed_trips(workgroup_size)).max(1);
        // Blocks have an odd number of rounds.
        let rounds = if self.tuning.layout == Layout::Blocked { (rounds - 1) | 1 } else { rounds };
        let quads = u64::from(workgroup_size) * u64::from(workgroups) * u64::from(self.tuning.loads_in_flight) * rounds;
        quads.saturating_mul(self.quad()).min(self.tuning.dispatch_bytes_max / self.shape.element_bytes)
    }

    /// One `reduce` dispatch over elements `first..first + count` of a binding.
    fn reduce_pass(&self, workgroup_size: u32, workgroups_max: u32, first: u64, count: u64) -> Pass {
        let loads = u64::from(self.tuning.loads_in_flight);
        let end = (first + count) / self.quad();
        let quads = end - first.div_ceil(self.quad()).min(end);
        let group_quads = u64::from(workgroup_size) * loads;
        let workgroups = quads.div_ceil(group_quads).clamp(1, workgroups_max.into()) as u32;
        let round_quads = group_quads * u64::from(workgroups);
        let (run, rounds) = match self.tuning.layout {
            // An odd number of rounds: blocks a power of two apart would meet in one set of the cache.
            Layout::Blocked => {
                let rounds = quads.div_ceil(round_quads) | 1;
                ((rounds * loads) as u32, rounds)
            }
            Layout::Strided => ((quads / round_quads) as u32, quads.div_ceil(round_quads)),
        };
        Pass {
            kernel: Kernel::Reduce,
            workgroup_size,
            workgroups,
            source: Source::Nothing,
            target: Target::Result,
            params: Params {
                first: first as u32,
                count: count as u32,
                run,
                round: round_quads as u32,
                ..Params::default()
            },
            trips: rounds + self.fixed_trips(workgroup_size),
        }
    }

    /// Plans the reduction of the pieces, in their order, as one input whose first element has the index `start`.
    ///
    /// `direct` allows a small input to go straight to the result; without it the result is never written by a pass
    /// that reads the input (a buffer may not be read and written in one dispatch).
    pub fn plan(&self, pieces: &[Piece], start: u64, direct: bool) -> Plan {
        let elements: u64 = pieces.iter().map(|piece| piece.elements).sum();
        let single_size = self.tuning.single_workgroup_size;
        let windows = self.windows(pieces);
        let small = elements <= self.tuning.single_elements_max.min(self.dispatch_elements(single_size, 1))
            && windows.len() <= 1;
        let (size, mut most) =
            if small { (single_size, 1) } else { (self.tuning.workgroup_size, self.tuning.workgroups_max) };
        // Fewer workgroups where dispatches are so many that one workgroup could not combine all their partials.
        let partials_max = self.partials_max();
        while most > 1 && self.partials_bound(&windows, size, most) > partials_max {
            most /= 2;
        }

        let mut passes = Vec::new();
        let mut slot = 0;
        let mut before = i128::from(start);
        for window in &windows {
            let chunk = self.chunk(size, most);
            let (mut first, end) = (window.first, window.first + window.elements);
            while first < end {
                let count = (chunk - first % self.quad()).min(end - first);
                let mut pass = self.reduce_pass(size, most, first, count);
                pass.source = window.source;
                pass.target = Target::Partials;
                pass.params.slot = slot;
                pass.params.shift = window.shift;
                let base = before - window.first as i128;
                pass.params.base = [base as u32, (base >> 32) as u32];
                slot += pass.workgroups;
                first += count;
                passes.push(pass);
            }
            before += i128::from(window.elements);
        }
        if passes.is_empty() {
            passes.push(self.reduce_pass(single_size, 1, 0, 0));
        }
        match &mut passes[..] {
            [only] if only.workgroups == 1 && (direct || only.source == Source::Nothing) => {
                only.target = Target::Result;
                only.params.slot = 0;
                slot = 0;
            }
            _ => passes.push(self.combine_pass(slot)),
        }
        for pass in &mut passes {
            pass.params.total = [elements as u32, (elements >> 32) as u32];
        }
        let partials = u64::from(slot);
        Plan { passes, partials, scratch_bytes: partials * self.shape.partial_bytes(), elements }
    }

    /// Elements of one dispatch: whole quads, so that only the ends of a window are ragged.
    fn chunk(&self, workgroup_size: u32, workgroups: u32) -> u64 {
        (self.dispatch_elements(workgroup_size, workgroups) / self.quad() * self.quad()).max(self.quad())
    }

    /// Partials that one combine pass can read, by its binding and its trips.
    fn partials_max(&self) -> u64 {
        let size = self.tuning.single_workgroup_size;
        let room = TRIPS_MAX.saturating_sub(self.fixed_trips(size));
        let bound = self.facts.binding_bytes_max / self.shape.partial_bytes().max(1);
        // Trips grow with the partials: the most that fit, by halves.
        let (mut fit, mut beyond) = (1, bound + 1);
        while fit + 1 < beyond {
            let middle = fit + (beyond - fit) / 2;
            if self.combine_trips(middle) <= room { fit = middle } else { beyond = middle }
        }
        fit
    }

    /// At least as many partials as the windows take with `most` workgroups per dispatch.
    fn partials_bound(&self, windows: &[Window], workgroup_size: u32, most: u32) -> u64 {
        let chunk = self.chunk(workgroup_size, most);
        let tile = u64::from(workgroup_size) * u64::from(self.tuning.loads_in_flight) * self.quad();
        let bound = |window: &Window| {
            let dispatches = (window.first % self.quad() + window.elements).div_ceil(chunk);
            (dispatches * u64::from(most)).min(window.elements / tile + dispatches)
        };
        windows.iter().map(bound).sum()
    }

    fn combine_pass(&self, partials: u32) -> Pass {
        let size = self.tuning.single_workgroup_size;
        let run = partials.div_ceil(size);
        Pass {
            kernel: Kernel::Combine,
            workgroup_size: size,
            workgroups: 1,
            source: Source::Partials,
            target: Target::Result,
            params: Params { count: partials, run, ..Params::default() },
            trips: self.combine_trips(partials.into()) + self.fixed_trips(size),
        }
    }

    /// Cuts the pieces into windows that one binding can cover.
    fn windows(&self, pieces: &[Piece]) -> Vec<Window> {
        let alignment = self.facts.storage_alignment;
        let mut windows = Vec::new();
        for piece in pieces {
            // Zipped inputs are arrays of words.
            let bytes = if piece.other.is_some() { 4 } else { self.shape.element_bytes };
            let aligned = |element: u64| element * bytes / alignment * alignment;
            let most = |element: u64| (self.facts.binding_bytes_max - (element * bytes - aligned(element))) / bytes;
            let size = |element: u64, count: u64| ((element + count) * bytes - aligned(element)).next_multiple_of(4);
            let mut done = 0;
            while done < piece.elements {
                let first = piece.first + done;
                let other = piece.other.map(|(buffer, first)| (buffer, first + done));
                let room = other.map_or(u64::MAX, |(_, first)| most(first)).min(most(first));
                let elements = room.min(piece.elements - done);
                let at = |first: u64| (first * bytes - aligned(first)) / bytes;
                windows.push(Window {
                    source: Source::Window {
                        buffer: piece.buffer,
                        offset_bytes: aligned(first),
                        size_bytes: size(first, elements),
                        other: other.map(|(buffer, first)| (buffer, aligned(first), size(first, elements))),
                    },
                    first: at(first),
                    elements,
                    shift: other.map_or(0, |(_, other)| (at(other) as u32).wrapping_sub(at(first) as u32)),
                });
                done += elements;
            }
        }
        windows
    }
}

/// What one binding covers, and which of its elements are meant.
struct Window {
    source: Source,
    first: u64,
    elements: u64,
    shift: u32,
}
