//! Plans of segments against a model of shares: every element once, for its own segment, in order, within every limit.

use crate::cases::{BYTES_MAX, joined, limits, long, roomy, small, some_limits, some_tunings};
use crate::views::costs;
use proptest::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use treefold::internals::{
    Arrangement, Bounds, By, Cost, DeviceOp, Ends, Keep, Kernel, Limits, Pass, Piece, Plan, Planner, Request, Resource,
    Rows, Store, TRIPS_MAX, Walk,
};
use treefold::ops::Sum;
use treefold::{Error, Result, Tuning};

/// Positions, in the order in which they are folded.
type Acc = Vec<u64>;

/// The carry of a share.
#[derive(Clone, Debug, Default)]
struct Carry {
    head: Acc,
    tail: Acc,
    segment: Option<usize>,
    ended: bool,
}

/// All that a plan of segments is made from.
#[derive(Clone, Debug)]
struct Case {
    limits: Limits,
    tuning: Tuning,
    cost: Cost,
    pieces: Vec<Piece>,
    /// The offsets of the segments.
    offsets: Vec<u64>,
    /// The source of the segments' ends, and the number of further segments for which there is room.
    by: Bounds,
    room: u64,
    store: Store,
}

impl Case {
    fn new(limits: Limits, tuning: Tuning, cost: Cost, pieces: &[Piece], offsets: Vec<u64>) -> Case {
        // Offsets, what shares leave, and five buffers need room.
        let limits = Limits { binding_bytes_max: limits.binding_bytes_max.max(1 << 16), ..roomy(limits) };
        Case {
            limits,
            tuning,
            cost,
            pieces: pieces.to_vec(),
            offsets,
            by: Bounds::Offsets,
            room: 0,
            store: Store::Answer { counted: true },
        }
    }

    /// The same where the device alone knows how many there are.
    fn counted(self, by: Bounds, room: u64) -> Case {
        Case { by, room, ..self }
    }

    fn ends(&self) -> Ends {
        let segments = self.offsets.len() as u64 - 1 + self.room;
        let offsets = Ends::of(Piece::of(77, 3, segments + 1));
        let count = Some(Piece::of(78, 5, 1));
        match self.by {
            Bounds::Offsets => offsets,
            Bounds::CountedOffsets => Ends { count, ..offsets },
            Bounds::CountedRows => Ends { by: By::Rows(self.elements() / segments), count, ..offsets },
            Bounds::CountedElements => Ends { by: By::Elements, count, ..offsets },
        }
    }

    fn planner(&self) -> Planner {
        Planner::new(self.limits, self.tuning, self.cost.clone()).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    fn plan(&self) -> Result<Plan> {
        let each = Arrangement::Segments(self.ends());
        let (pieces, store) = (&self.pieces[..], self.store);
        self.planner().plan(&Request { pieces, each, start: 0, direct: true, store, output: 0 })
    }

    fn elements(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.elements).sum()
    }

    /// The position of an element of a buffer.
    fn position(&self, buffer: usize, element: u64) -> u64 {
        let mut before = 0;
        for piece in &self.pieces {
            if piece.buffer == buffer && (piece.first..piece.first + piece.elements).contains(&element) {
                return before + (element - piece.first);
            }
            before += piece.elements;
        }
        panic!("element {element} of buffer {buffer} is not of the input");
    }
}

/// Follows a plan whose subgroups have so many lanes.
fn check(case: &Case, plan: &Plan, lanes: u32) {
    let segments = case.offsets.len() - 1;
    let mut answers: Vec<Option<Acc>> = vec![None; segments];
    let mut carries: Vec<Option<Carry>> = Vec::new();
    let (mut done, mut finished) = (0, 0);
    for pass in &plan.passes {
        shape(case, plan, pass, done);
        // Those that are answered together.
        let group = &case.offsets[done.min(segments)..=(done + pass.params.rows as usize).min(segments)];
        match pass.variant.kernel {
            Kernel::Segments { walk } => {
                assert_eq!(pass.variant.rows, Rows::Segments(case.by));
                carries.resize(pass.params.partials as usize, None);
                shares(
                    case,
                    pass,
                    group,
                    if walk == Walk::Serial { 1 } else { lanes },
                    &mut answers[done.min(segments)..],
                    &mut carries,
                );
            }
            Kernel::Carry => {
                let shares = pass.params.partials;
                assert_eq!((shares as usize, pass.workgroups), (carries.len(), 1));
                assert!(u64::from(pass.params.vectors) * u64::from(pass.variant.workgroup_size) >= shares.into());
                let mut open = Acc::new();
                for carry in carries.drain(..) {
                    let carry = carry.expect("a share that leaves nothing");
                    if let Some(segment) = carry.segment {
                        let all = [&open[..], &carry.head].concat();
                        assert!(answers[done + segment].replace(all).is_none(), "segment {segment} is answered twice");
                    }
                    open = if carry.ended { carry.tail } else { [open, carry.tail].concat() };
                }
                done += pass.params.rows as usize;
            }
            Kernel::Finish => {
                finished += pass.params.count as usize;
                assert_eq!(finished, done);
            }
            other => panic!("{other:?} in a plan of segments"),
        }
    }
    // All by a pass behind, where one binding holds their accumulators and counts; else none.
    let apart = case.cost.finish_pass.is_some() && plan.accumulators_bytes > 0;
    let (all, limits) = (case.ends().segments, &case.limits);
    let held = 4 * (case.cost.sealed_words + 2) * (all + 1) <= limits.binding_bytes_max;
    let few = all < u64::from(limits.workgroups_max.min(65_535));
    let joined = case.cost.finish_pass.is_some() && matches!(case.store, Store::Answer { .. });
    assert!(!apart || held, "{all} segments finished apart");
    assert!(apart || all == 0 || !(joined && held && few), "{all} segments not finished apart");
    assert_eq!(finished, if apart { done } else { 0 });
    for (s, pair) in case.offsets.windows(2).enumerate() {
        let want: Acc = (pair[0]..pair[1]).collect();
        assert_eq!(answers[s].as_ref(), Some(&want), "segment {s}");
    }
}

/// Checks what every dispatch asks of the device.
fn shape(case: &Case, plan: &Plan, pass: &Pass, done: usize) {
    let (limits, size) = (&case.limits, pass.variant.workgroup_size);
    assert!((1..=limits.workgroups_max.min(65535)).contains(&pass.workgroups), "{pass:?}");
    assert!(size.is_power_of_two() && size <= limits.invocations_max, "{pass:?}");
    assert!(pass.trips <= TRIPS_MAX, "{pass:?}");
    let words = case.cost.value_words();
    let memory = match pass.variant.kernel {
        Kernel::Carry => u64::from(size) * 4 * (words + 1),
        Kernel::Segments { walk: Walk::Lanes { .. } | Walk::Clusters { .. } } => {
            let subgroups = size / pass.variant.lanes_min.expect("a subgroup's kernel with none");
            u64::from(subgroups) * 4 * (2 * words + 2)
        }
        _ => 0,
    };
    assert!(memory <= limits.workgroup_bytes_max, "{memory} bytes of workgroup memory: {pass:?}");
    let mut slots: Vec<u32> = pass.bindings.iter().map(|binding| binding.slot).collect();
    slots.sort_unstable();
    let mut want: Vec<u32> = match pass.variant.kernel {
        Kernel::Segments { .. } => vec![0, 1, 3, 5],
        _ => vec![0, 3],
    };
    if pass.variant.kernel != Kernel::Finish {
        want.extend(case.by.offsets().then_some(4));
        want.extend(case.by.counted().then_some(6));
        want.sort_unstable();
    }
    assert_eq!(slots, want, "{pass:?}");
    for binding in &pass.bindings {
        match &binding.resource {
            Resource::Input { bytes, .. } | Resource::Scratch { bytes } | Resource::Accumulators { bytes } => {
                assert!(
                    bytes.start.is_multiple_of(limits.storage_alignment) && bytes.end.is_multiple_of(4),
                    "{pass:?}"
                );
                assert!(bytes.start < bytes.end && bytes.end - bytes.start <= limits.binding_bytes_max, "{pass:?}");
            }
            _ => (),
        }
        if let Resource::Scratch { bytes } = &binding.resource {
            assert!(
                bytes.end <= plan.scratch_bytes
                    && bytes.end - bytes.start >= u64::from(pass.params.partials) * 4 * (2 * words + 2)
            );
        }
        if let (4, Resource::Input { buffer, bytes }) = (binding.slot, &binding.resource) {
            // The first offset is word 3 of its buffer.
            assert_eq!((*buffer, bytes.start / 4 + u64::from(pass.params.stride)), (77, 3 + done as u64));
            assert!(bytes.end / 4 - bytes.start / 4 > u64::from(pass.params.stride + pass.params.rows));
        }
        if let (6, Resource::Input { buffer, bytes }) = (binding.slot, &binding.resource) {
            assert_eq!((*buffer, bytes.start / 4 + u64::from(pass.params.grid_stride)), (78, 5));
            assert!(bytes.end / 4 - bytes.start / 4 > u64::from(pass.params.grid_stride));
            assert_eq!(pass.params.row_partials as usize, done);
            if case.by == Bounds::CountedRows && case.offsets.len() > 1 {
                assert_eq!(u64::from(pass.params.stride), case.offsets[1]);
            }
        }
    }
    let serial = Kernel::Segments { walk: Walk::Serial };
    assert!(
        case.cost.commutative
            || !matches!(pass.variant.kernel, Kernel::Segments { .. })
            || pass.variant.kernel == serial
    );
    if pass.variant.kernel != Kernel::Finish {
        assert_eq!(u64::from(pass.params.total[0]), case.elements());
    }
}

/// The shares of a pass, walked item by item.
fn shares(
    case: &Case,
    pass: &Pass,
    offsets: &[u64],
    lanes: u32,
    answers: &mut [Option<Acc>],
    carries: &mut [Option<Carry>],
) {
    let params = &pass.params;
    let Some(Resource::Input { buffer, bytes }) =
        pass.bindings.iter().find(|binding| binding.slot == 1).map(|binding| &binding.resource)
    else {
        assert_eq!(params.count, 0);
        return walk(case, pass, offsets, lanes, &[], answers, carries);
    };
    // The window's positions, by the base and by the buffer.
    let first = bytes.start / case.cost.element_bytes;
    assert!(
        (u64::from(params.first) + u64::from(params.count)) * case.cost.element_bytes <= bytes.end - bytes.start + 3
    );
    let base = u64::from(params.base[0]) | u64::from(params.base[1]) << 32;
    let positions: Vec<u64> = (params.first..params.first + params.count)
        .map(|e| {
            let position = base.wrapping_add(e.into());
            assert_eq!(position, case.position(*buffer, first + u64::from(e)));
            position
        })
        .collect();
    walk(case, pass, offsets, lanes, &positions, answers, carries);
}

/// Trips of a lane of a subgroup whose share has so many elements of each segment, the last of which it leaves open, wherever vectors begin; without
/// those of the search.
fn trips_by_subgroup(case: &Case, pass: &Pass, walk: Walk, lanes: u32, parts: &[u64]) -> u64 {
    let (cost, lanes) = (&case.cost, u64::from(lanes));
    let per_vector = 16 / case.cost.element_bytes;
    let loads = u64::from(pass.variant.loads_in_flight);
    let vector = cost.vector_trips.unwrap_or(per_vector * cost.element_trips);
    // A step in which the longest part has so many elements.
    let step = |elements: u64, width: u64| {
        let vectors = (elements / per_vector).div_ceil(loads * width) * (1 + loads * vector);
        let around = elements.min(2 * (per_vector - 1)).div_ceil(width) * (1 + cost.element_trips);
        1 + vectors + around + u64::from(width.ilog2()) * (cost.combine_trips + cost.shuffle_trips)
    };
    let (width, most) = match walk {
        Walk::Serial => panic!("no subgroup walks this"),
        Walk::Lanes { most } => (1, most.into()),
        Walk::Clusters { mean, most } => {
            let elements = parts.iter().sum::<u64>();
            let each = (elements + elements / 8) / (parts.len() as u64 - 1).max(1) / u64::from(mean);
            let width = (1 << each.max(1).ilog2()).min(lanes);
            (width, if width == lanes { 0 } else { u64::from(most) * width })
        }
    };
    let round = |parts: &[u64]| {
        // As long as its longest; those that are longer take part with none.
        let longest = |step: &[u64]| step.iter().copied().filter(|&part| part <= most).max().unwrap_or(0);
        let steps: u64 = match most {
            0 => 0,
            _ => parts.chunks((lanes / width) as usize).map(|parts| step(longest(parts), width)).sum(),
        };
        let longer: u64 = parts.iter().filter(|&&part| part > most).map(|&part| step(part, lanes)).sum();
        1 + steps + longer + cost.once_trips
    };
    parts.chunks(lanes as usize).map(round).sum()
}

fn walk(
    case: &Case,
    pass: &Pass,
    offsets: &[u64],
    lanes: u32,
    window: &[u64],
    answers: &mut [Option<Acc>],
    carries: &mut [Option<Carry>],
) {
    let segments = offsets.len() - 1;
    let low = window.first().copied().unwrap_or(0);
    let high = window.last().map_or(0, |last| last + 1);
    let inside: Vec<u64> = window.iter().copied().filter(|p| (offsets[0]..offsets[segments]).contains(p)).collect();
    let last = high.clamp(offsets[0], offsets[segments]);
    // Ends that no window before this one has, up to its last element; the last window has the rest.
    let before = match low {
        0 => 0,
        _ => {
            let first = low.clamp(offsets[0], offsets[segments]);
            offsets[1..].iter().filter(|&&end| end <= first).count()
        }
    };
    let until = match high == case.elements() {
        true => segments,
        false => offsets[1..].iter().filter(|&&end| end <= last).count(),
    };
    // The merged list: an end stands before the element at its position.
    let mut items: Vec<Option<u64>> = Vec::new();
    let mut s = before;
    for &position in &inside {
        while s < until && offsets[s + 1] <= position {
            items.push(None);
            s += 1;
        }
        items.push(Some(position));
    }
    items.extend((s..until.max(s)).map(|_| None));
    let of_workgroup = pass.variant.workgroup_size / lanes;
    let shares = pass.params.splits * of_workgroup;
    assert_eq!(pass.params.splits, pass.workgroups);
    let end_items = u64::from(pass.params.vectors);
    let cost = |item: &Option<u64>| if item.is_some() { 1 } else { end_items };
    let all: u64 = items.iter().map(cost).sum();
    let each = all.div_ceil(shares.into());
    // At least a trip for each item of an invocation, or for each chunk of a subgroup.
    let chunk = if lanes > 1 { u64::from(lanes) * 16 / case.cost.element_bytes } else { 1 };
    let fewest = items.len() as u64 / u64::from(shares) / chunk;
    assert!(fewest <= pass.trips, "{fewest} items: {pass:?}");
    let mut segment = before;
    let mut rest = items.into_iter().peekable();
    let mut done = 0;
    let mut position = inside.first().copied().unwrap_or(low.clamp(offsets[0], offsets[segments]));
    let mut answer = |segment: usize, acc: Acc| {
        assert!(answers[segment].replace(acc).is_none(), "segment {segment} is answered twice");
    };
    // Of a workgroup, whose invocations or subgroups carry from one to the next.
    let mut workgroup = Carry::default();
    for share in 0..shares {
        let begun = segment < segments && offsets[segment] < position;
        let start = segment;
        let mut carry = Carry::default();
        let mut parts = Vec::new();
        while let Some(item) = rest.next_if(|item| done + cost(item) <= (u64::from(share) + 1) * each) {
            done += cost(&item);
            match item {
                Some(here) => {
                    carry.tail.push(here);
                    position = here + 1;
                }
                None => {
                    let acc = std::mem::take(&mut carry.tail);
                    parts.push(acc.len() as u64);
                    if begun && segment == start {
                        (carry.head, carry.segment) = (acc, Some(segment));
                    } else {
                        answer(segment, acc);
                    }
                    carry.ended = true;
                    segment += 1;
                }
            }
        }
        if let Kernel::Segments { walk: walk @ (Walk::Lanes { .. } | Walk::Clusters { .. }) } = pass.variant.kernel {
            parts.push(carry.tail.len() as u64);
            let trips = trips_by_subgroup(case, pass, walk, lanes, &parts);
            assert!(trips <= pass.trips, "{trips} trips of a lane: {pass:?}");
        }
        if let Some(segment) = carry.segment {
            let head = [std::mem::take(&mut workgroup.tail), carry.head].concat();
            match workgroup.ended {
                true => answer(segment, head),
                false => (workgroup.head, workgroup.segment) = (head, Some(segment)),
            }
        }
        workgroup.tail = if carry.ended { carry.tail } else { [workgroup.tail, carry.tail].concat() };
        workgroup.ended |= carry.ended;
        if (share + 1) % of_workgroup == 0 {
            let slot = pass.params.partial + share / of_workgroup;
            let left = carries[slot as usize].replace(std::mem::take(&mut workgroup));
            assert!(left.is_none(), "slot {slot} is written twice");
        }
    }
    assert!(rest.next().is_none(), "items that no share has: {pass:?}");
}

fn checked(case: &Case) -> Plan {
    let plan = case.plan().unwrap_or_else(|error| panic!("{error}: {case:?}"));
    let (least, most) = case.limits.lanes.unwrap_or((1, 1));
    for lanes in [least, most] {
        check(case, &plan, lanes);
    }
    plan
}

/// Lengths as offsets, behind so many elements that belong to none.
fn offsets(before: u64, lengths: &[u64]) -> Vec<u64> {
    let ends = lengths.iter().scan(before, |at, length| {
        *at += length;
        Some(*at)
    });
    std::iter::once(before).chain(ends).collect()
}

fn some_lengths() -> Vec<Vec<u64>> {
    vec![
        vec![],
        vec![0],
        vec![1],
        vec![0; 50],
        vec![1; 300],
        vec![4; 200],
        vec![2000],
        vec![0, 0, 900, 0, 0, 1, 0],
        vec![3, 0, 700, 1, 1, 0, 0, 64, 128, 5],
        [vec![0; 400], vec![300], vec![0; 400]].concat(),
    ]
}

#[test]
fn every_element_for_its_segment() {
    for limits in some_limits() {
        for tuning in [some_tunings()[4], Tuning::GPU] {
            for cost in [costs(), vec![joined(Cost::plain(9, true)), long(4, 11), long(2, 4)]].concat() {
                for lengths in some_lengths() {
                    let inside: u64 = lengths.iter().sum();
                    let (front, behind) = (inside / 3 + 2, inside - inside / 3 + 9);
                    let pieces = [Piece::of(0, 5, front), Piece::of(1, 0, 0), Piece::of(2, 1, behind)];
                    let case = Case::new(limits, tuning, cost.clone(), &pieces, offsets(3, &lengths));
                    checked(&case);
                }
            }
        }
    }
}

/// Segments of which one binding holds the accumulators, and one more.
#[test]
fn few_are_finished_apart_and_many_at_once() {
    let limits = Limits { binding_bytes_max: 1 << 16, workgroups_max: 65_535, ..some_limits()[4] };
    for (segments, apart) in [(1, true), (1364, true), (1365, false), (3000, false)] {
        let pieces = [Piece::of(0, 0, 3 * segments)];
        let lengths = vec![3; segments as usize];
        let case = Case::new(limits, Tuning::GPU, joined(Cost::plain(9, true)), &pieces, offsets(0, &lengths));
        assert_eq!(case.plan().expect("a plan").accumulators_bytes > 0, apart, "{segments} segments");
        checked(&case);
    }
}

/// Fewer segments, rows or elements than there is room for, to none.
#[test]
fn counts_that_only_the_device_knows() {
    for limits in some_limits() {
        for (tuning, cost) in
            [(some_tunings()[4], Cost::plain(1, true)), (Tuning::GPU, Cost::plain(3, false)), (small(), long(4, 11))]
        {
            let pieces = [Piece::of(0, 5, 400), Piece::of(2, 1, 800)];
            let case = |offsets| Case::new(limits, tuning, cost.clone(), &pieces, offsets);
            for count in [0, 1, 7, 100, 150] {
                checked(&case((0..=count).map(|row| 8 * row).collect()).counted(Bounds::CountedRows, 150 - count));
                let lengths: Vec<u64> = (0..count).map(|k| k * 5 % 13).collect();
                checked(&case(offsets(3, &lengths)).counted(Bounds::CountedOffsets, 150 - count));
                checked(&case(vec![0, 8 * count]).counted(Bounds::CountedElements, 0));
            }
        }
    }
}

#[test]
fn nothing_in_segments() {
    let case = Case::new(some_limits()[5], small(), Cost::plain(1, true), &[], vec![0; 12]);
    checked(&case);
}

/// The trips that are planned for a share are enough for a lane's, and a third of them would not be: so the bound says something.
#[test]
fn trips_are_about_those_of_a_lane() {
    let mut nearest = 0.0f64;
    for (lanes, element_bytes, own_state) in [(64, 1, true), (64, 4, true), (32, 4, false), (8, 4, false)] {
        for lengths in [[130u64, 3], [100, 100], [600, 600], [60, 1], [15, 15]] {
            let cost = Cost { element_bytes, own_state, element_trips: 3, ..Cost::plain(1, true) };
            let limits = Limits { invocations_max: lanes, ..limits(BYTES_MAX, 256, Some((lanes, lanes)), 16384) };
            let lengths: Vec<u64> =
                lengths.into_iter().cycle().take(2 * 40_000 / (lengths[0] + lengths[1]) as usize).collect();
            let elements: u64 = lengths.iter().sum();
            let tuning = Tuning::GPU.each(|launch| (launch.workgroup_size, launch.workgroups_max) = (lanes, 1));
            let case = Case::new(limits, tuning, cost, &[Piece::of(0, 0, elements)], offsets(0, &lengths));
            let pass = &case.plan().expect("a plan").passes[0];
            let Kernel::Segments { walk } = pass.variant.kernel else { panic!("{pass:?}") };
            // A share each, as one subgroup has them.
            assert!((1..=64).contains(&pass.workgroups) && pass.variant.workgroup_size == lanes, "{pass:?}");
            let here = lengths.len() / pass.workgroups as usize;
            let parts = [&lengths[..here], &[0]].concat();
            let trips = trips_by_subgroup(&case, pass, walk, lanes, &parts);
            assert!(trips <= pass.trips, "{trips} of {}: {case:?}", pass.trips);
            nearest = nearest.max(trips as f64 / pass.trips as f64);
        }
    }
    assert!(nearest > 1.0 / 3.1, "{nearest}");
}

/// Real launch policies, of lengths that fill the device.
#[test]
fn real_launches() {
    for (tuning, lanes) in [(Tuning::GPU, 32), (Tuning::NVIDIA, 32), (Tuning::CPU, 8)] {
        for limits in [limits(BYTES_MAX, 256, Some((lanes, lanes)), 16384), limits(1 << 27, 32, None, 32768)] {
            for cost in [Cost::plain(1, true), Cost::plain(5, false), long(4, 11)] {
                for n in [1u64 << 20, 1 << 28] {
                    for segments in [1u64, 1 << 10, n] {
                        let each = Arrangement::Segments(Ends::of(Piece::of(1, 0, segments + 1)));
                        let planner = Planner::new(limits, tuning, cost.clone()).expect("a planner");
                        let pieces = [Piece::of(0, 0, n)];
                        let store = Store::Answer { counted: false };
                        let plan =
                            planner.plan(&Request { pieces: &pieces, each, start: 0, direct: true, store, output: 0 });
                        let plan = plan.unwrap_or_else(|error| panic!("{error}: {n} {segments}"));
                        assert!(plan.passes.iter().all(|pass| pass.trips <= TRIPS_MAX && pass.workgroups <= 65_535));
                        assert!(plan.scratch_bytes <= limits.binding_bytes_max);
                    }
                }
            }
        }
    }
}

/// A pass for the elements and one that carries, whatever subgroups a device may have.
#[test]
fn few_passes() {
    for (lanes, n) in [(Some((4, 64)), 4_000_000), (Some((8, 32)), 1 << 26), (None, 1 << 26), (Some((32, 32)), 1 << 28)]
    {
        let case = |cost: Cost| {
            let pieces = [Piece::of(0, 0, n)];
            let each = Arrangement::Segments(Ends::of(Piece::of(1, 0, 1001)));
            let planner = Planner::new(limits(BYTES_MAX, 256, lanes, 32768), Tuning::GPU, cost).expect("a planner");
            let store = Store::Answer { counted: true };
            planner.plan(&Request { pieces: &pieces, each, start: 0, direct: true, store, output: 0 }).expect("a plan")
        };
        for cost in [Cost::plain(1, true), Cost::plain(3, false), long(4, 11)] {
            assert_eq!(case(cost.clone()).passes.len(), 2, "{lanes:?} {cost:?}");
        }
    }
}

/// An answer that loops long, as an exact norm's root does: invocations take what subgroups have no trips for.
#[test]
fn long_finishes() {
    let cost = Cost { own_state: true, vector_trips: Some(4), once_trips: 281, ..Cost::plain(21, true) };
    let mut walks = Vec::new();
    for (lanes, memory) in [((4, 128), 16384), ((8, 32), 32768), ((32, 32), 16384), ((32, 32), 49152)] {
        let planner = Planner::new(limits(BYTES_MAX, 256, Some(lanes), memory), Tuning::GPU, cost.clone());
        for (n, segments) in [(1u64 << 20, 1u64 << 10), (1 << 29, 1), (1 << 29, 1 << 10), (1 << 29, 1 << 24)] {
            let pieces = [Piece::of(0, 0, n)];
            let each = Arrangement::Segments(Ends::of(Piece::of(1, 0, segments + 1)));
            let store = Store::Answer { counted: false };
            let request = Request { pieces: &pieces, each, start: 0, direct: true, store, output: 0 };
            let plan = planner.as_ref().expect("a planner").plan(&request);
            let plan = plan.unwrap_or_else(|error| panic!("{error}: {lanes:?} {n} {segments}"));
            assert!(plan.passes.iter().all(|pass| pass.trips <= TRIPS_MAX), "{lanes:?} {n} {segments}");
            walks.extend(plan.passes.first().map(|pass| pass.variant.kernel));
        }
    }
    let serial = Kernel::Segments { walk: Walk::Serial };
    assert!(walks.contains(&serial) && walks.iter().any(|&walk| walk != serial), "{walks:?}");
}

/// As many segments as are said to go together have a plan: all of them where they find room, as many rows of f64 do on a large GPU.
#[test]
fn what_goes_together_has_a_plan() {
    let store = Store::Answer { counted: true };
    let doubles = Cost::of(&DeviceOp::new::<f64, _>(&Sum, Keep::Registers).expect("names"));
    let longer = Cost { once_trips: 700, ..doubles.clone() };
    let at_once =
        |(memory, binding): (u64, u64), tuning: Tuning, cost: &Cost, (n, buffers): (u64, u64), length: u64| {
            let limits = limits(binding, 256, Some((32, 32)), memory);
            let planner = Planner::new(limits, tuning, cost.clone()).expect("a planner");
            let pieces: Vec<Piece> = (0..buffers).map(|buffer| Piece::of(buffer as usize, 0, n / buffers)).collect();
            let together = planner.segments_together(&pieces, n, n / length).expect("a share");
            let segments = (together / (length + 1)).clamp(1, n / length);
            let mut left = segments * length;
            let mut cut = |piece: &Piece| {
                let now = piece.elements.min(left);
                left -= now;
                Piece { elements: now, ..*piece }
            };
            let pieces: Vec<Piece> = pieces.iter().map(&mut cut).filter(|piece| piece.elements > 0).collect();
            let each = Arrangement::Segments(Ends::of(Piece::of(buffers as usize, 0, segments + 1)));
            let plan = planner.plan(&Request { pieces: &pieces, each, start: 0, direct: true, store, output: 0 });
            let plan =
                plan.unwrap_or_else(|error| panic!("{error}: {memory} {binding} {n} in {buffers}, {length} {cost:?}"));
            assert!(plan.passes.iter().all(|pass| pass.trips <= TRIPS_MAX), "{memory} {n} {length}");
            segments == n / length
        };
    let often = Tuning::GPU.with(|tuning| tuning.dispatch_bytes_max = 1 << 22);
    for (number, memory) in [16_384, 32_768, 49_152].into_iter().enumerate() {
        for cost in costs().iter().chain([&doubles, &longer, &long(4, 11)]) {
            for n in [1 << 12, 24_172 * 2829, 1 << 20, 1 << 25, 1 << 27, 1 << 31, (1 << 32) - (1 << 21)] {
                for length in [1, 16, 128, 1000, 2829] {
                    let tuning = if number == 1 && n <= 1 << 27 { often } else { Tuning::GPU };
                    at_once((memory, [128 << 20, BYTES_MAX][number % 2]), tuning, cost, (n, 1), length);
                    at_once((memory, BYTES_MAX), Tuning::GPU, cost, (n / 10 * 10, 10), length);
                }
            }
        }
    }
    let roomy = (49_152, BYTES_MAX);
    assert!([16, 128, 512].iter().all(|&length| at_once(roomy, Tuning::NVIDIA, &doubles, (1 << 25, 1), length)));
    assert!(!at_once((16_384, BYTES_MAX), Tuning::GPU, &doubles, (1 << 27, 1), 16));
}

#[test]
fn what_cannot_be_is_told() {
    let pieces = [Piece::of(0, 0, u64::from(u32::MAX))];
    let case = Case::new(some_limits()[6], small(), Cost::plain(1, true), &pieces, vec![0; 9]);
    assert!(matches!(case.plan(), Err(Error::SegmentsTooMany { segments: 8, .. })));
    let bins = crate::cases::grouped(4, vec![crate::cases::histogram_bins(23, 1)]);
    let case = Case::new(some_limits()[6], small(), bins, &[Piece::of(0, 0, 9)], vec![0; 9]);
    assert!(matches!(case.plan(), Err(Error::NotBySegments { .. })));
    let few = Limits { storage_buffers_max: 4, ..some_limits()[6] };
    let case = Case::new(few, small(), Cost::plain(1, true), &[Piece::of(0, 0, 9)], vec![0; 9]);
    assert!(matches!(case.plan(), Err(Error::LimitTooSmall { needs: 5, .. })));
    assert!(matches!(case.counted(Bounds::CountedOffsets, 9).plan(), Err(Error::LimitTooSmall { needs: 6, .. })));
}

/// The model notices a pass with one number changed.
#[test]
fn wrong_plans_are_noticed() {
    type Change = (&'static str, fn(&mut Pass));
    let reads: [Change; 12] = [
        ("first", |pass| pass.params.first += 1),
        ("count", |pass| pass.params.count -= 1),
        ("base", |pass| pass.params.base[0] = pass.params.base[0].wrapping_add(1)),
        ("the upper half of base", |pass| pass.params.base[1] ^= 1),
        ("total", |pass| pass.params.total[0] -= 1),
        ("rows", |pass| pass.params.rows += 500),
        ("partial", |pass| pass.params.partial += 1),
        ("partials", |pass| pass.params.partials -= 1),
        ("splits", |pass| pass.params.splits += 1),
        ("the word of the first offset", |pass| pass.params.stride += 1),
        ("too many trips", |pass| pass.trips = TRIPS_MAX + 1),
        ("too few", |pass| pass.trips = 0),
    ];
    let carry: [Change; 5] = [
        ("vectors", |pass| pass.params.vectors = 0),
        ("partials", |pass| pass.params.partials -= 1),
        ("workgroups", |pass| pass.workgroups = 2),
        ("workgroup_size", |pass| pass.variant.workgroup_size = 2048),
        ("the word of the first offset", |pass| pass.params.stride -= 1),
    ];
    let pieces = [Piece::of(0, 5, 3000), Piece::of(2, 1, 3000)];
    let mut lengths: Vec<u64> = (0..60).map(|k| k * 3 % 200).collect();
    lengths.push(6000 - 3 - lengths.iter().sum::<u64>());
    for limits in [some_limits()[5], some_limits()[3]] {
        let case = Case::new(limits, Tuning::GPU, Cost::plain(3, true), &pieces, offsets(3, &lengths));
        let good = checked(&case);
        let lanes = case.limits.lanes.map_or(1, |(least, _)| least);
        let last = good.passes.len() - 1;
        let changes = reads.iter().map(|change| (1, change)).chain(carry.iter().map(|change| (last, change)));
        for (number, (name, change)) in changes {
            let mut plan = good.clone();
            change(&mut plan.passes[number]);
            let passes = catch_unwind(AssertUnwindSafe(|| check(&case, &plan, lanes))).is_ok();
            assert!(!passes, "a change of {name} goes unnoticed in {:?}", good.passes[number]);
        }
        let case =
            Case::new(limits, Tuning::GPU, Cost::plain(3, true), &pieces, (0..=20).map(|row| 50 * row).collect());
        let case = case.counted(Bounds::CountedRows, 100);
        let good = checked(&case);
        let counted: [Change; 4] = [
            ("the word of the count", |pass| pass.params.grid_stride += 1),
            ("the rows before", |pass| pass.params.row_partials += 1),
            ("the length of a row", |pass| pass.params.stride += 1),
            ("the count's binding", |pass| pass.bindings.retain(|binding| binding.slot != 6)),
        ];
        for (name, change) in counted {
            let mut plan = good.clone();
            change(&mut plan.passes[0]);
            let passes = catch_unwind(AssertUnwindSafe(|| check(&case, &plan, lanes))).is_ok();
            assert!(!passes, "a change of {name} goes unnoticed");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn segments_of_anything(
        lengths in prop::collection::vec(prop_oneof![3 => Just(0u64), 3 => 1u64..6, 2 => 0u64..300, 1 => 0u64..3000], 0..60),
        before in 0u64..20,
        behind in 0u64..20,
        cuts in prop::collection::vec(0u64..6000, 0..4),
        (limits, tuning) in (prop::sample::select(some_limits()), prop::sample::select(some_tunings())),
        cost in prop::sample::select(costs()),
    ) {
        let offsets = offsets(before, &lengths);
        let elements = offsets[offsets.len() - 1] + behind;
        let mut ends: Vec<u64> = cuts.into_iter().map(|cut| cut.min(elements)).chain([elements]).collect();
        ends.sort_unstable();
        let mut done = 0;
        let pieces: Vec<Piece> = ends.into_iter().enumerate().map(|(k, end)| {
            let piece = Piece::of(k, 3 * k as u64, end - done);
            done = end;
            piece
        }).collect();
        let case = Case::new(limits, tuning, cost, &pieces, offsets);
        match case.plan() {
            Ok(_) => drop(checked(&case)),
            Err(Error::TooManyTrips { .. } | Error::TooManyPartials { .. }) => (),
            Err(Error::LimitTooSmall { value, needs, .. }) => prop_assert!(needs > value),
            Err(error) => prop_assert!(false, "{error}"),
        }
    }
}
