//! Segments by offsets, which only the device knows: shares of elements and ends, and what carries over their borders.

use super::columns::previous_power;
use super::planner::{Draft, Planner, Request};
use super::windows::{Window, nothing, windows};
use super::{Binding, Bounds, GroupCost, Kernel, Order, Params, Pass, Resource, Rows, Store};
use crate::error::{Error, Result};
use crate::input::{By, Ends, Piece, Unit};
use crate::limits::TRIPS_MAX;

// Figures: an H100 (Vulkan, driver 580), `treefold bench fast_sum --size 2^28 --segments …`, of exact sums `sum --size 2^26`, with the constant
// changed, in µs.

/// Invocations of a workgroup whose subgroups have a share each, where there may be so many. Segments of 4, 16, 64, 256, 4096, mix30 with 128: 675, 524,
/// 460, 392, 377, 632; with 256: 675, 508, 454, 385, 370, 678; with 512: 674, 475, 448, 387, 372, 625.
const SIZE: u32 = 512;
/// Of one whose invocations have a share each.
const SERIAL_SIZE: u32 = 128;
/// Elements and ends of an invocation, at least, where there are enough.
const ITEMS_MIN: u64 = 32;
/// Elements and ends for each invocation of a launch policy, up to which clusters of lanes have few shares, as many as one pass carries over, one for each
/// invocation: fewer fill no GPU, and each share is searched for and carried over. An H200, `treefold bench fast_sum --segments 16,256,4096 --launch
/// workgroups_max=64,264`, 256 and 1056 workgroups, µs: 2^24 31.7, 27.7, 26.5 and 42.2, 42.2, 35.2; 2^26 92, 77.6, 73.8 and 101, 88.2, 83.5; 2^27 180, 154,
/// 146 and 179, 149, 144; 2^28 341, 283, 265 and 329, 273, 258. Elements that are no words have twice as many: `max --segments 4096`, 2^26 f16 by
/// 264, 528 and 1056 workgroups 51.0, 46.3 and 51.2, f64 by 256, 528 and 1056 170, 138 and 143.
const ITEMS_OF_FEW: u64 = 640;
/// The same where each lane takes a segment: 528 and 1056 workgroups, 2^24 in segments of 4 45.9 and 51.7, 2^28 520 and 522, mix30 54.6 and 60.8, 576 and 560.
const ITEMS_OF_LANES: u64 = 256;
/// The mean length below which answers that take so many trips to finish, as quotients do, take most of the time, and shares are as many as of long inputs by
/// value. H200s, 2^26 in segments of 16: 528 workgroups, mean 321 µs, variance 1459; 1056, with another search and a carrying pass of 1024, 285 and 1354.
const FINISHED_UNTIL: u64 = 32;
const FINISHED_TRIPS: u64 = 32;
/// Elements and ends for each invocation of few shares whose lanes hold a state of many words, up to which there are half as many: a multiprocessor has
/// one of those workgroups at a time. An H200, `treefold bench sum --segments 64,4096 --launch workgroups_max=32,66,264`, 128, 264 and 1056 workgroups, of which
/// more than 256 were carried over by 1024 invocations: 2^22 21.4, 26.0 and 35.6, 37.1 and 48.0, 37.2, by 136 workgroups in another run 34.4, 27.0; 2^24
/// 52.5, 46.9 and 56.6, 54.7 and 113, 116; 2^28 in segments of 4096, 128, 256 and 1056 workgroups, 469, 435 and 467.
const ITEMS_OF_HELD: u64 = 64;
/// Vectors in flight of a lane, at most. Segments of 16, 64, 256 by clusters, of 128 invocations, with 1, 2, 4: 537, 476, 471; 622, 451, 472; 408, 391, 392.
const VECTORS: u32 = 2;
/// Elements and ends that one plan takes: 32 bits count them, and those of a share more.
const ITEMS_IN_ALL: u64 = (1 << 32) - (1 << 20);
/// Invocations of the workgroup that carries, where there is room.
const CARRY_SIZE: u32 = 256;
/// Shares that an invocation carries over, about, where there is a choice.
const CARRIED_MAX: u64 = 64;
/// Those that are soon carried over. An H200, 2^28 f32 in segments of 16 and 4096, 1056 shares: by 256 invocations 327.6, 255.7 µs, by 1024 329.2, 257.7; 2^26
/// (`variance --segments 4096`), 256 shares by 256 invocations 295 and, on another H200, 264 by 1024 349.
const CARRIED_FEW: u64 = 8;
/// What lanes take of segments of what is accumulated by value. Segments of 64, 128, 256 with 2 vectors: 430, 414, 400; with 4: 451, 405, 391; with 8:
/// 620, 434, 390. Of 4 elements by clusters, which are of one lane then: 782 for 675.
const PLAIN: OfLane = OfLane { alone: 16, vectors: 4, around: 64, most: 64 };
/// The same where lanes hold a state of many words. Exact sums of segments of 16 and 64 by clusters: 309, 209 for 261, 190; of 256 by lanes 245 for 225,
/// with 4 vectors 317. Of mix70000, with 256 elements at most in workgroups of 256: 232; with 128 in workgroups of 512: 207.
const HELD: OfLane = OfLane { alone: 128, vectors: 16, around: 256, most: 128 };
/// Words of an accumulator, at most, where lanes hold a state beside it: those of an exact variance, whose sums are two. An H200, `treefold bench
/// variance --size 2^26 --segments 4,16,64,256,1024,4096,65536`, with 24 (a share for each invocation) and 40: 17,344, 4922, 1835, 1050, 830,
/// 691, 595 and 15,805, 4523, 1455, 671, 702, 565, 452. With 24 no compiler keeps scalar registers in vector ones (AMD's keeps up to 37).
const HELD_WORDS_MAX: u64 = 40;
/// Elements that an end of a segment counts as, for each lane of a cluster.
const ENDS_AS: u64 = 4;
/// Parts of a trip.
const PARTS: u64 = 256;

/// Who has a share of elements and of ends of segments, and how it is walked; constants of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Walk {
    /// An invocation, in order.
    Serial,
    /// A subgroup, of which each lane takes a segment at a time.
    Lanes {
        /// Elements of a segment, at most, where a lane takes it.
        most: u32,
    },
    /// A subgroup, of which each cluster of lanes takes a segment at a time.
    Clusters {
        /// Elements of a lane, about, in a segment of a share's mean length.
        mean: u32,
        /// Elements of a lane at most, where its cluster takes a segment.
        most: u32,
    },
}

/// What a lane of a subgroup takes of segments.
struct OfLane {
    /// The mean length from which on clusters take segments.
    alone: u64,
    /// Vectors, about, of a segment of the mean length.
    vectors: u32,
    /// Elements, likewise, times those of a vector: what lies around whole vectors is taken one by one, of narrow elements by more lanes.
    around: u32,
    /// Elements at most.
    most: u32,
}

impl OfLane {
    /// Of segments that have so many elements on average.
    fn walk(&self, elements: u64, per_vector: u32) -> Walk {
        let (most, mean) = (self.most, (self.vectors * per_vector).min(self.around / per_vector));
        if elements < self.alone { Walk::Lanes { most } } else { Walk::Clusters { mean, most } }
    }
}

/// The launch of a dispatch over segments.
struct SegmentLaunch {
    walk: Walk,
    size: u32,
    loads: u32,
    /// Trips of an invocation, beside those for each element and each end of its share.
    fixed: u64,
    /// Those of an item, in so many parts of a trip: [`PARTS`].
    each: u64,
    /// Shares of a workgroup, at least.
    teams: u32,
    /// Items that an end counts as; an element is one.
    end_items: u32,
    /// Whether answers take most of the time.
    finishes: bool,
}

impl SegmentLaunch {
    /// Items of a share, at most.
    fn items_max(&self) -> u64 {
        (TRIPS_MAX - self.fixed) * PARTS / self.each
    }
}

/// The source of the ends of segments, for the kernels.
fn bounds(ends: &Ends) -> Bounds {
    match (ends.by, ends.count) {
        (By::Offsets(_), None) => Bounds::Offsets,
        (By::Offsets(_), Some(_)) => Bounds::CountedOffsets,
        (By::Rows(_), _) => Bounds::CountedRows,
        (By::Elements, _) => Bounds::CountedElements,
    }
}

/// Vectors in flight of an invocation that has words of its own, on GPUs, and the mean length from which on: segments/four_vectors.wgsl has as many. An
/// H200, `treefold bench sum --dtype f64 --size 2^26 --segments 16,64,256,4096,65536,1048576`, with one, and counters that took 64 exponents: 1297, 1576, 1128, 1003,
/// 948, 1466; with four, and 74 exponents: 1171, 1382, 996, 872, 821, 1170. (Of 4 elements a text with four took 2702, and 2627 as it is.)
const OWN_LOADS: u32 = 4;
const OWN_LOADS_FROM: u64 = 16;

/// Fewer shares, where each leaves accumulators as long as memory of an invocation holds.
const OWN_FEWER: u64 = 8;

impl Planner {
    /// Plans the answers of segments.
    ///
    /// Sources: shares of equal work, merge path (Merrill and Garland); what crosses their borders, as in CUB's segmented reductions by key.
    pub(super) fn segments(&self, draft: &mut Draft, request: &Request, ends: Ends, elements: u64) -> Result<()> {
        let segments = ends.segments;
        if self.cost.too_long_by_value || !matches!(self.cost.groups[..], [GroupCost::Values { .. }]) {
            return Err(Error::NotBySegments { operator: "the operator" });
        }
        let most = ITEMS_IN_ALL;
        if elements + segments > most {
            return Err(Error::SegmentsTooMany { elements, segments, most });
        }
        let by = bounds(&ends);
        let buffers = 4 + u32::from(by.offsets()) + u32::from(by.counted());
        if self.limits.storage_buffers_max < buffers {
            let (limit, value) = ("max_storage_buffers_per_shader_stage", self.limits.storage_buffers_max.into());
            return Err(Error::LimitTooSmall { limit, value, needs: buffers.into() });
        }
        // Where a pass of its own finishes, groups of segments whose accumulators one binding holds; and whose offsets one does.
        let apart = if self.finishes_apart(request) { self.finished_together() - 1 } else { u64::MAX };
        let shape = self.segments_shape(elements, segments)?;
        let (windows, dispatches) = self.segment_windows(request.pieces);
        let all = self.segments_most(&shape, dispatches);
        if elements > all {
            return Err(Error::SegmentsTooMany { elements, segments, most: all });
        }
        // And as many as 32 bits count, each by what its end counts as; and as the shares that one pass carries over have trips for,
        // if all of them ended in one dispatch: those of a workgroup at least.
        let carried = ((all - elements) / dispatches).max(shape.items_max() * u64::from(shape.teams));
        let counted = (ITEMS_IN_ALL - elements).min(carried) / u64::from(shape.end_items);
        let together = apart.min(self.limits.binding_bytes_max / 4 / 2).min(counted).max(1);
        let mut done = 0;
        while done < segments {
            let now = together.min(segments - done);
            self.segments_group(draft, request, (&shape, &windows, dispatches), &ends.part(done, now), elements, done)?;
            done += now;
        }
        Ok(())
    }

    /// The windows that have elements, one at least, and the dispatches that go over them.
    fn segment_windows(&self, pieces: &[Piece]) -> (Vec<Window>, u64) {
        let mut windows = windows(pieces, &self.limits, self.cost.element_bytes);
        windows.retain(|window| window.elements > 0);
        if windows.is_empty() {
            windows.push(Window { bindings: nothing(), first: 0, elements: 0, partner: 0, beside: None, grid: None });
        }
        let dispatches = windows.iter().map(|window| window.elements.div_ceil(self.most()).max(1)).sum();
        (windows, dispatches)
    }

    /// Plans segments, the first of which is the n-th.
    fn segments_group(
        &self,
        draft: &mut Draft,
        request: &Request,
        (shape, windows, dispatches): (&SegmentLaunch, &[Window], u64),
        ends: &Ends,
        elements: u64,
        row: u64,
    ) -> Result<()> {
        let (segments, rows) = (ends.segments, Rows::Segments(bounds(ends)));
        let mut read = Vec::new();
        let mut bound = |slot: u32, words: Piece| {
            let bound = super::windows::windows(&[words], &self.limits, 4);
            let [window] = &bound[..] else {
                return Err(Error::SegmentsTooMany { elements, segments, most: segments / 2 });
            };
            read.push(Binding { slot, resource: window.bindings[1].resource.clone() });
            Ok(window.first as u32)
        };
        let stride = match ends.by {
            By::Offsets(offsets) => bound(4, offsets)?,
            By::Rows(length) => length as u32,
            By::Elements => 0,
        };
        let count = ends.count.map(|count| bound(6, count)).transpose()?.unwrap_or(0);
        let found = Params {
            stride,
            grid_stride: count,
            row_partials: ends.first as u32,
            total: [elements as u32, 0],
            rows: segments as u32,
            ..Params::default()
        };
        let (store, resource, output) = self.destination(draft, request, segments as u32, row);
        // Of the shares that one pass carries over, those that no dispatch needs.
        let items = elements + dispatches * u64::from(shape.end_items) * segments;
        let needed = items.div_ceil(shape.items_max() * u64::from(shape.teams)) + dispatches;
        let carried = u64::from(self.carry_size()) * self.carried_max().min(CARRIED_MAX);
        let spare = carried.saturating_sub(needed) / dispatches;
        let begin = draft.passes.len();
        let mut shares = 0;
        let mut before = 0;
        for window in windows {
            let mut done = 0;
            loop {
                let now = self.most().min(window.elements - done);
                let mut pass = self.segments_pass(shape, (store, rows), window.beside, (now, segments), spare)?;
                let base = i128::from(before) - i128::from(window.first);
                pass.bindings = window.bindings.clone();
                pass.bindings.push(Binding { slot: 3, resource: resource.clone() });
                pass.bindings.extend(read.iter().cloned());
                pass.params = Params {
                    first: (window.first + done) as u32,
                    count: now as u32,
                    splits: pass.workgroups,
                    vectors: shape.end_items,
                    partial: shares,
                    output,
                    partner: window.partner,
                    base: [base as u32, (base >> 32) as u32],
                    ..found
                };
                shares += pass.workgroups;
                draft.passes.push(pass);
                done += now;
                if done >= window.elements {
                    break;
                }
            }
            before += window.elements;
        }
        let carries = 0..u64::from(shares) * self.carry_bytes();
        draft.scratch_bytes = draft.scratch_bytes.max(carries.end);
        for pass in &mut draft.passes[begin..] {
            pass.params.partials = shares;
            pass.bindings.push(Binding { slot: 5, resource: Resource::Scratch { bytes: carries.clone() } });
        }
        let size = self.carry_size_of(shares.into());
        let each = shares.div_ceil(size);
        draft.passes.push(Pass {
            variant: self.variant(Kernel::Carry, store, size, None, rows),
            workgroups: 1,
            bindings: [Resource::Scratch { bytes: carries }, resource]
                .into_iter()
                .zip([0, 3])
                .map(|(resource, slot)| Binding { slot, resource })
                .chain(read)
                .collect(),
            params: Params { vectors: each, partials: shares, output, ..found },
            regions: Vec::new(),
            dims: Vec::new(),
            trips: self.carry_trips(size, each.into()),
        });
        self.finish(draft, request, segments as u32, elements, row, rows);
        Ok(())
    }

    /// Elements of a dispatch, by time.
    fn most(&self) -> u64 {
        (self.tuning.dispatch_bytes_max / self.cost.element_bytes).max(1)
    }

    /// The kernel for segments of this length on average, and its workgroup.
    fn segments_shape(&self, elements: u64, segments: u64) -> Result<SegmentLaunch> {
        let cost = &self.cost;
        let held = !cost.own_state || (!cost.own_memory && cost.value_words() <= HELD_WORDS_MAX);
        let by_value = held && !cost.own_shuffle && !cost.reads_position && !self.one;
        let largest = previous_power(SIZE.min(self.limits.invocations_max).into()) as u32;
        // As large as memory and trips have room for what its subgroups leave.
        let sizes = std::iter::successors(Some(largest), |size| (*size > 1).then_some(size / 2));
        let mut shapes = sizes.filter(|_| by_value).filter_map(|size| {
            let (least, (_, most)) = self.lanes_min(size).zip(self.limits.lanes)?;
            let shape = self.segments_by_subgroups(elements, segments, size, (least.into(), most));
            let memory = u64::from(size / least) * self.carry_bytes();
            let fewest = (ITEMS_MIN * u64::from(least) * shape.each).div_ceil(PARTS);
            let fits = memory <= self.limits.workgroup_bytes_max && shape.fixed + fewest <= TRIPS_MAX;
            // What loops long to finish, as a root does, leaves few trips for elements.
            (fits && (2 * elements).min(ITEMS_IN_ALL) <= self.segments_most(&shape, 1)).then_some(shape)
        });
        if let Some(shape) = shapes.next() {
            return Ok(shape);
        }
        self.segments_by_invocations(elements, segments)
    }

    /// The launch of workgroups of this size whose subgroups, of `lanes` to `most` lanes, have a share each.
    fn segments_by_subgroups(
        &self,
        elements: u64,
        segments: u64,
        size: u32,
        (lanes, most): (u64, u32),
    ) -> SegmentLaunch {
        let cost = &self.cost;
        let per_vector = self.per_vector();
        let each = elements / segments.max(1);
        let of_lane = if cost.own_state { &HELD } else { &PLAIN };
        let walk = of_lane.walk(each, per_vector as u32);
        let longest = u64::from(of_lane.most);
        let loads = self.loads().min(VECTORS);
        // Elements of a trip of one lane, and what it takes.
        let at_once = u64::from(loads) * per_vector;
        let vectors = 1 + u64::from(loads) * self.vector_trips();
        // What lies around the vectors; lanes meet, and one writes; a workgroup's subgroups leave one carry.
        let around = |width: u64| (2 * per_vector).div_ceil(width) * (1 + cost.element_trips);
        let answer = 1 + 8 * (cost.combine_trips + cost.shuffle_trips) + cost.once_trips;
        let left = u64::from(size) / lanes * (1 + 2 * cost.combine_trips + cost.once_trips);
        // A step of as many segments as there are clusters; a segment by all lanes, but for its whole trips.
        let step = 1 + longest.div_ceil(at_once) * vectors + around(1) + answer;
        let by_all = 1 + vectors + around(lanes) + answer;
        let room = (ITEMS_IN_ALL - elements) / segments.max(1);
        // Lanes that a segment of the mean length has, and items that make a step for it.
        let (width, stepped) = match walk {
            Walk::Clusters { mean, .. } => ((each / u64::from(mean)).clamp(1, lanes), u64::from(mean) * lanes),
            Walk::Lanes { .. } | Walk::Serial => (1, u64::MAX / 16),
        };
        let end_items = (ENDS_AS * width).min(room).max(1);
        let of_end = (PARTS * (step + 1)).div_ceil(lanes * end_items);
        // The mean of a share counts an eighth more.
        let of_element = (PARTS * vectors).div_ceil(at_once * lanes)
            + (PARTS * step * 9).div_ceil(8 * stepped)
            + (PARTS * by_all).div_ceil(longest);
        SegmentLaunch {
            walk,
            size,
            loads,
            fixed: self.search_trips() + left + 2 * step + 2 * by_all,
            each: of_end.max(of_element),
            teams: size / most,
            end_items: end_items as u32,
            finishes: each < FINISHED_UNTIL && cost.once_trips >= FINISHED_TRIPS,
        }
    }

    /// The launch where invocations have a share each.
    fn segments_by_invocations(&self, elements: u64, segments: u64) -> Result<SegmentLaunch> {
        let cost = &self.cost;
        // A workgroup holds what each of its invocations leaves open.
        let size = SERIAL_SIZE.min(self.launch.workgroup_size).min(self.limits.invocations_max).min(self.held());
        let vector = if self.one { 0 } else { self.vector_trips().div_ceil(self.per_vector()) };
        let element = cost.element_trips.max(vector);
        let (element, end) = (2 + element, 2 + cost.once_trips);
        let fixed = self.search_trips() + end + (u64::from(size.ilog2()) + 2) * (1 + cost.combine_trips);
        // An end counts as many elements as it takes trips.
        let room = (ITEMS_IN_ALL - elements) / segments.max(1);
        let end_items = end.div_ceil(element).min(room).max(1);
        let each = element.max(end.div_ceil(end_items));
        if fixed + each > TRIPS_MAX {
            return Err(self.too_many_trips(fixed + each));
        }
        let (walk, each, end_items) = (Walk::Serial, PARTS * each, end_items as u32);
        let ahead =
            cost.own_memory && self.tuning.order == Order::Striped && elements / segments.max(1) >= OWN_LOADS_FROM;
        let loads = if ahead { OWN_LOADS } else { 1 };
        Ok(SegmentLaunch { walk, size, loads, fixed, each, teams: size, end_items, finishes: false })
    }

    /// Trips that find a share, and of what it leaves.
    fn search_trips(&self) -> u64 {
        64 + 4 * 33 + 2 * self.cost.once_trips
    }

    /// The launch over so many elements of a window, in which so many segments may end; one of so many dispatches.
    fn segments_pass(
        &self,
        shape: &SegmentLaunch,
        (store, rows): (Store, Rows),
        beside: Option<Unit>,
        (elements, segments): (u64, u64),
        spare: u64,
    ) -> Result<Pass> {
        let mut variant = self.variant(Kernel::Segments { walk: shape.walk }, store, shape.size, beside, rows);
        (variant.loads_in_flight, variant.order) = (shape.loads, Order::Striped);
        let items = elements + u64::from(shape.end_items) * segments;
        let launched = self.segments_launched(shape, items);
        let enough = items.div_ceil(ITEMS_MIN * u64::from(shape.size));
        let items_max = shape.items_max();
        let needed = items.div_ceil(items_max * u64::from(shape.teams));
        let most = u64::from(self.limits.workgroups());
        // No more shares than are carried over quickly, where fewer have trips for it all.
        let workgroups = enough.min(launched).min(needed.max(1) + spare).min(most).max(needed).max(1);
        if workgroups > most {
            return Err(Error::SegmentsTooMany { elements, segments, most: most * items_max * u64::from(shape.teams) });
        }
        let workgroups = workgroups as u32;
        Ok(Pass {
            variant,
            workgroups,
            bindings: Vec::new(),
            params: Params::default(),
            regions: Vec::new(),
            dims: Vec::new(),
            trips: shape.fixed
                + (shape.each * items.div_ceil(u64::from(workgroups) * u64::from(shape.teams))).div_ceil(PARTS),
        })
    }

    /// Workgroups of a dispatch over so many items, at most, where fewer have trips for it all: figures by [`ITEMS_OF_FEW`].
    fn segments_launched(&self, shape: &SegmentLaunch, items: u64) -> u64 {
        let (size, held) = (u64::from(shape.size), self.cost.own_state);
        let invocations = u64::from(self.launch.workgroup_size) * u64::from(self.launch.workgroups_max);
        let all = (invocations / size).max(1);
        // Smaller workgroups are as many more.
        let carried = u64::from(CARRY_SIZE * SIZE) / size;
        let few = match held {
            true if items < ITEMS_OF_HELD * size * carried => carried / 2,
            false if self.cost.element_bytes != 4 => 2 * carried,
            _ => carried,
        };
        // Twice as many shares as there are invocations are half as large: those of a multiprocessor end together.
        let (few, most, many) = match shape.walk {
            Walk::Serial if self.cost.own_memory => return (all / OWN_FEWER).max(1),
            Walk::Serial => return all,
            Walk::Clusters { .. } if held => (few, u64::MAX, few),
            Walk::Clusters { .. } => (few, ITEMS_OF_FEW, 2 * all),
            Walk::Lanes { .. } if held && !shape.finishes => (few, ITEMS_OF_LANES, all),
            Walk::Lanes { .. } if !held => (all, ITEMS_OF_LANES, 2 * all),
            Walk::Lanes { .. } => return 2 * all,
        };
        if items / invocations < most { few.min(2 * all) } else { many }
    }

    /// Bytes of what a share leaves.
    fn carry_bytes(&self) -> u64 {
        4 * (2 * self.cost.value_words() + 2)
    }

    /// The workgroup of the pass that carries: as large as workgroup memory has room for.
    fn carry_size(&self) -> u32 {
        self.single_size().max(CARRY_SIZE).min(self.held()).min(self.limits.invocations_max)
    }

    /// That of the pass that carries over so many shares: as few invocations as have few shares each.
    fn carry_size_of(&self, shares: u64) -> u32 {
        let few = self.carry_size().min(CARRY_SIZE);
        if shares <= u64::from(few) * self.carried_max().min(CARRIED_FEW) { few } else { self.carry_size() }
    }

    /// Invocations whose open accumulators workgroup memory holds, a power of two.
    fn held(&self) -> u32 {
        let room = self.limits.workgroup_bytes_max / (4 * (self.cost.value_words() + 1));
        1 << room.clamp(1, 1 << 16).ilog2()
    }

    /// Elements and ends, by what an end counts as, of which one pass can carry over the shares.
    fn segments_most(&self, shape: &SegmentLaunch, dispatches: u64) -> u64 {
        // Each dispatch may round up.
        let workgroups = (u64::from(self.carry_size()) * self.carried_max()).saturating_sub(dispatches).max(1);
        (workgroups * u64::from(shape.teams)).saturating_mul(shape.items_max()).min(ITEMS_IN_ALL)
    }

    /// Elements and segments that one plan takes, about: of so many all, where each of its dispatches has room for all their ends; an error where
    /// not even one share finds room.
    pub fn segments_together(&self, pieces: &[Piece], elements: u64, segments: u64) -> Result<u64> {
        let (_, dispatches) = self.segment_windows(pieces);
        if elements.saturating_add(segments) <= ITEMS_IN_ALL {
            let shape = self.segments_shape(elements, segments)?;
            let ends = segments.saturating_mul(u64::from(shape.end_items)).saturating_mul(dispatches);
            if elements.saturating_add(ends) <= self.segments_most(&shape, dispatches) {
                return Ok(elements + segments);
            }
        }
        let shape = self.segments_shape(0, 1)?;
        Ok((self.segments_most(&shape, dispatches) / 2 / u64::from(shape.end_items)).max(1))
    }

    /// Shares that an invocation has trips to carry over.
    fn carried_max(&self) -> u64 {
        (TRIPS_MAX.saturating_sub(self.carry_trips(self.carry_size(), 0)) / self.carried_trips()).max(1)
    }

    /// Trips for each share that is carried over.
    fn carried_trips(&self) -> u64 {
        2 * (1 + self.cost.combine_trips) + self.cost.once_trips
    }

    /// Trips of an invocation that carries over so many shares.
    fn carry_trips(&self, size: u32, shares: u64) -> u64 {
        let combine = 1 + self.cost.combine_trips;
        let steps = u64::from(size.ilog2()) + 1;
        64 + shares * self.carried_trips() + steps * combine
    }
}
