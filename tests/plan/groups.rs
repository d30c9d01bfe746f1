//! Plans of groups against a model: every element once for each group, with its own key, within every limit.

use crate::cases::{BYTES_MAX, limits, long, roomy, small, some_limits, some_tunings};
use crate::views::costs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use treefold::internals::{
    Arrangement, Cost, Groups, Kernel, Limits, Load, Pass, Piece, Plan, Planner, Request, Resource, Rows, Store,
    TRIPS_MAX,
};
use treefold::{Error, Result, Tuning};

struct Case {
    limits: Limits,
    tuning: Tuning,
    cost: Cost,
    pieces: Vec<Piece>,
    keys: Vec<Piece>,
    first: u64,
    groups: u64,
    store: Store,
}

impl Case {
    fn new(limits: Limits, tuning: Tuning, cost: Cost, (pieces, keys): (&[Piece], &[Piece]), groups: u64) -> Case {
        let limits = Limits { binding_bytes_max: limits.binding_bytes_max.max(1 << 16), ..roomy(limits) };
        let (pieces, keys) = (pieces.to_vec(), keys.to_vec());
        Case { limits, tuning, cost, pieces, keys, first: 7, groups, store: Store::Answer { counted: true } }
    }

    fn plan(&self) -> Result<Plan> {
        let planner = Planner::new(self.limits, self.tuning, self.cost.clone())?;
        let each = Arrangement::Groups(Groups { keys: &self.keys, first: self.first, groups: self.groups });
        let (pieces, store) = (&self.pieces[..], self.store);
        planner.plan(&Request { pieces, each, start: 100, direct: true, store, output: 0 })
    }

    fn elements(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.elements).sum()
    }
}

/// The place in the whole of an element of a buffer.
fn place(pieces: &[Piece], buffer: usize, element: u64) -> u64 {
    let mut before = 0;
    for piece in pieces {
        if piece.buffer == buffer && (piece.first..piece.first + piece.elements).contains(&element) {
            return before + element - piece.first;
        }
        before += piece.elements;
    }
    panic!("element {element} of buffer {buffer} is none of these");
}

fn bound(pass: &Pass, slot: u32) -> &Resource {
    &pass.bindings.iter().find(|binding| binding.slot == slot).unwrap_or_else(|| panic!("no {slot}: {pass:?}")).resource
}

fn scratch(pass: &Pass, slot: u32, plan: &Plan) -> std::ops::Range<u64> {
    let Resource::Scratch { bytes } = bound(pass, slot) else { panic!("{slot} is no scratch: {pass:?}") };
    assert!(bytes.end <= plan.scratch_bytes && bytes.start < bytes.end);
    bytes.clone()
}

/// Follows a plan.
fn check(case: &Case, plan: &Plan) {
    let (n, groups) = (case.elements(), case.groups as usize);
    // Of each group, who reads the elements; and who leaves which partial.
    let mut reads = vec![vec![0u32; n as usize]; groups];
    let mut partials: Vec<Option<usize>> = vec![];
    let (mut cleared, mut met, mut finished) = (false, 0, 0);
    for pass in &plan.passes {
        let (params, size) = (&pass.params, u64::from(pass.variant.workgroup_size));
        assert!(pass.trips <= TRIPS_MAX && (1..=case.limits.workgroups_max.min(65_535)).contains(&pass.workgroups));
        assert!(size <= case.limits.invocations_max.into());
        match pass.variant.kernel {
            Kernel::Clear => {
                assert_eq!((scratch(pass, 3, plan), params.count), (0..4 * case.groups, case.groups as u32));
                assert_eq!(params.splits, pass.workgroups);
                assert!(case.groups.div_ceil(size * u64::from(pass.workgroups)) <= pass.trips);
                cleared = true;
            }
            Kernel::Groups { own, replicas } => {
                assert!(cleared && params.rows <= own && params.splits == pass.workgroups);
                assert!(own > 0 && u64::from(own) * 4 <= case.limits.workgroup_bytes_max);
                let element_trips = match case.cost.cell {
                    Some((words, add, read)) if replicas > 0 => {
                        let cells = u64::from(own) * u64::from(replicas);
                        assert!(replicas.is_power_of_two() && replicas <= 32 && pass.variant.lanes_min.is_none());
                        assert!(4 * cells * (words + 1) <= case.limits.workgroup_bytes_max);
                        let (turns, last) = (cells.div_ceil(size), u64::from(own).div_ceil(size));
                        assert!(turns * (words + read) + last * u64::from(replicas) <= pass.trips);
                        add
                    }
                    cell => {
                        let fits = |(words, _, _): (u64, u64, u64)| 4 * (words + 1) <= case.limits.workgroup_bytes_max;
                        assert!(replicas == 0 && !cell.is_some_and(fits));
                        case.cost.element_trips
                    }
                };
                assert_eq!(u64::from(params.grid_stride), case.first + u64::from(params.output));
                assert_eq!(scratch(pass, 5, plan), 0..4 * case.groups);
                let out = scratch(pass, 3, plan);
                assert!(out.start >= 4 * case.groups);
                partials.resize(((out.end - out.start) / (4 * case.cost.value_words())) as usize, None);
                let loads = u64::from(pass.variant.loads_in_flight);
                let step = size * u64::from(pass.workgroups);
                assert!(u64::from(params.vectors) * loads * step >= params.count.into());
                let unit = if pass.variant.load == Load::Vector { 4 } else { 1 };
                assert!(u64::from(params.vectors) * (1 + loads * unit * element_trips) <= pass.trips);
                let (Resource::Input { buffer, bytes }, Resource::Input { buffer: of_keys, bytes: of }) =
                    (bound(pass, 1), bound(pass, 6))
                else {
                    panic!("no input: {pass:?}")
                };
                for bytes in [bytes, of] {
                    assert!(bytes.start.is_multiple_of(case.limits.storage_alignment));
                    assert!(bytes.end - bytes.start <= case.limits.binding_bytes_max);
                }
                let unit = if pass.variant.load == Load::Vector { 4 } else { 1 };
                let base = u64::from(params.base[0]) | u64::from(params.base[1]) << 32;
                let (first, count) = (unit * params.first, unit * params.count);
                for e in first..first + count {
                    let element = bytes.start / case.cost.element_bytes + u64::from(e);
                    assert!((u64::from(e) + 1) * case.cost.element_bytes <= bytes.end - bytes.start + 3);
                    let at = place(&case.pieces, *buffer, element);
                    let word = unit * params.stride + (e - first);
                    assert!(4 * (u64::from(word) + 1) <= of.end - of.start);
                    assert_eq!(at, place(&case.keys, *of_keys, of.start / 4 + u64::from(word)), "another's key");
                    assert_eq!(base.wrapping_add(e.into()), 100 + at);
                    (0..params.rows).for_each(|j| reads[(params.output + j) as usize][at as usize] += 1);
                }
                for j in 0..params.rows {
                    for workgroup in 0..pass.workgroups {
                        let at = (params.partial + j * params.row_partials + workgroup) as usize;
                        let group = (params.output + j) as usize;
                        assert!(partials[at].replace(group).is_none(), "partial {at} is left twice");
                    }
                }
            }
            Kernel::Combine { .. } => {
                assert_eq!((pass.variant.rows, params.rows as usize), (Rows::Groups, met));
                assert_eq!(scratch(pass, 4, plan), 0..4 * case.groups);
                assert!(u64::from(params.vectors) * size >= params.count.into());
                for row in 0..pass.workgroups {
                    let first = (params.first + row * params.stride) as usize;
                    for partial in &partials[first..first + params.count as usize] {
                        assert_eq!(*partial, Some(met), "a partial of another group");
                    }
                    met += 1;
                }
            }
            Kernel::Finish => {
                finished += params.count as usize;
                assert_eq!(finished, met);
            }
            other => panic!("{other:?} in a plan of groups"),
        }
    }
    assert_eq!(met, groups);
    assert!(partials.iter().all(Option::is_some), "partials that nobody leaves");
    assert!(reads.iter().flatten().all(|&reads| reads == 1), "not every element once for each group");
}

/// Accumulators that invocations share: short, of many words, with loops; and of more words than there is memory for.
fn in_cells() -> Vec<Cost> {
    let cells = [(1, (1, 0, 0)), (2, (2, 0, 0)), (12, (129, 0, 64)), (3, (40, 5, 900)), (1, (1 << 20, 0, 0))];
    cells.map(|(words, cell)| Cost { cell: Some(cell), ..Cost::plain(words, true) }).to_vec()
}

fn some_pieces() -> ([Piece; 3], [Piece; 3]) {
    let pieces = [Piece::of(0, 5, 1200), Piece::of(1, 0, 0), Piece::of(2, 1, 800)];
    (pieces, [Piece::of(3, 1, 300), Piece::of(4, 0, 900), Piece::of(5, 7, 800)])
}

#[test]
fn every_element_once_for_each_group() {
    let (pieces, keys) = some_pieces();
    for limits in some_limits() {
        for tuning in [some_tunings()[4], Tuning::GPU, small()] {
            for cost in [costs(), vec![long(4, 11), long(2, 4)], in_cells()]
                .concat()
                .into_iter()
                .filter(|cost| cost.commutative)
            {
                for groups in [1, 5, 70] {
                    let case = Case::new(limits, tuning, cost.clone(), (&pieces, &keys), groups);
                    match case.plan() {
                        Ok(plan) => check(&case, &plan),
                        Err(Error::LimitTooSmall { value, needs, .. }) => assert!(needs > value),
                        Err(error) => panic!("{error}"),
                    }
                }
            }
        }
    }
    let case = Case::new(some_limits()[5], small(), Cost::plain(1, true), (&[], &[]), 3);
    let plan = case.plan().expect("a plan of nothing");
    assert!(plan.passes.iter().all(|pass| !matches!(pass.variant.kernel, Kernel::Groups { .. })));
}

#[test]
fn real_launches() {
    for (tuning, lanes) in [(Tuning::GPU, 32), (Tuning::NVIDIA, 32), (Tuning::CPU, 8)] {
        for limits in [limits(BYTES_MAX, 256, Some((lanes, lanes)), 16384), limits(1 << 27, 32, None, 32768)] {
            for cost in [vec![Cost::plain(1, true), Cost::plain(5, true), long(4, 11)], in_cells()].concat() {
                for groups in [1, 37, 1000] {
                    let n = 1 << 26;
                    let case =
                        Case::new(limits, tuning, cost.clone(), (&[Piece::of(0, 0, n)], &[Piece::of(1, 0, n)]), groups);
                    let plan = case.plan().expect("a plan");
                    assert!(plan.passes.iter().all(|pass| pass.trips <= TRIPS_MAX && pass.workgroups <= 65_535));
                    assert!(plan.scratch_bytes <= case.limits.binding_bytes_max);
                }
            }
        }
    }
}

#[test]
fn what_cannot_be_is_told() {
    let one = [Piece::of(0, 0, 900)];
    let case = |cost: Cost, groups| Case::new(some_limits()[5], small(), cost, (&one, &one), groups);
    assert!(matches!(case(Cost::plain(1, false), 3).plan(), Err(Error::OrderOfGroups)));
    assert!(matches!(case(Cost::plain(1, true), 1 << 24).plan(), Err(Error::GroupsTooMany { .. })));
    let many = [Piece::of(0, 0, 1 << 33)];
    let long = Case { pieces: many.to_vec(), keys: many.to_vec(), ..case(Cost::plain(1, true), 3) };
    assert!(matches!(long.plan(), Err(Error::GroupsTooMany { .. })));
    let few = Case { limits: Limits { storage_buffers_max: 4, ..some_limits()[5] }, ..case(Cost::plain(1, true), 3) };
    assert!(matches!(few.plan(), Err(Error::LimitTooSmall { needs: 5, .. })));
}

/// The model notices a pass with one number changed.
#[test]
fn wrong_plans_are_noticed() {
    type Change = (&'static str, fn(&mut Pass));
    let reads: [Change; 11] = [
        ("first", |pass| pass.params.first += 1),
        ("count", |pass| pass.params.count -= 1),
        ("the word of the first key", |pass| pass.params.stride += 1),
        ("the first key", |pass| pass.params.grid_stride += 1),
        ("groups", |pass| pass.params.rows -= 1),
        ("the first group", |pass| pass.params.output += 1),
        ("partial", |pass| pass.params.partial += 1),
        ("row_partials", |pass| pass.params.row_partials += 1),
        ("base", |pass| pass.params.base[0] = pass.params.base[0].wrapping_add(1)),
        ("rounds", |pass| pass.params.vectors = 0),
        ("splits", |pass| pass.params.splits += 1),
    ];
    let combine: [Change; 4] = [
        ("first", |pass| pass.params.first += 1),
        ("count", |pass| pass.params.count += 1),
        ("stride", |pass| pass.params.stride -= 1),
        ("rows", |pass| pass.params.rows += 1),
    ];
    let (pieces, keys) = some_pieces();
    let case = Case::new(some_limits()[5], Tuning::GPU, Cost::plain(3, true), (&pieces, &keys), 40);
    let good = case.plan().expect("a plan");
    check(&case, &good);
    let last = good.passes.len() - 1;
    let changes = reads.iter().map(|change| (1, change)).chain(combine.iter().map(|change| (last, change)));
    for (number, (name, change)) in changes {
        let mut plan = good.clone();
        change(&mut plan.passes[number]);
        let passes = catch_unwind(AssertUnwindSafe(|| check(&case, &plan))).is_ok();
        assert!(!passes, "a change of {name} goes unnoticed in {:?}", good.passes[number]);
    }
}
