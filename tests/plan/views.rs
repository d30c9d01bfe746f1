//! Views: axes of arrays in one buffer or several, rows that are read by a few invocations each.

use crate::cases::{BYTES_MAX, Case, beside, limits, long, plain, roomy, small, some_limits, some_tunings, with_bins};
use crate::model::check;
use crate::parts::every_other;
use crate::{checked, checked_if_bound};
use proptest::prelude::*;
use treefold::internals::{Cost, Dim, GroupCost, Kernel, Limits, Piece, Store, Strided};
use treefold::{Error, Order, Tuning};

/// Answers by strides from an element on.
fn view(first: u64, kept: &[(u64, i64)], reduced: &[(u64, i64)]) -> Strided {
    let dims = |dims: &[(u64, i64)]| dims.iter().map(|&(length, stride)| Dim { length, stride }).collect();
    Strided { first, kept: dims(kept), reduced: dims(reduced) }.collapsed()
}

/// Views of at most 3000 elements: columns that fill vectors and that do not, middle axes, fields, backwards, in turn, repeated.
fn some_views() -> Vec<Strided> {
    vec![
        view(0, &[(8, 1)], &[(40, 8)]),
        view(0, &[(16, 1)], &[(130, 16)]),
        view(3, &[(7, 1)], &[(60, 7)]),
        view(0, &[(1000, 1)], &[(3, 1000)]),
        view(0, &[(5, 320), (32, 1)], &[(10, 32)]),
        view(0, &[(20, 16)], &[(4, 400), (16, 1)]),
        view(1, &[], &[(700, 3)]),
        view(2, &[(3, 1)], &[(300, 3)]),
        view(2999, &[(10, -100)], &[(50, -2)]),
        view(100, &[(6, 0)], &[(20, 5)]),
        view(0, &[(6, 40)], &[(20, 0)]),
        view(0, &[(30, 1), (4, 700)], &[(10, 60)]),
        view(0, &[(2, 1500), (3, 1), (2, 700)], &[(5, 7), (3, 40), (4, 150)]),
        view(0, &[(12, 9)], &[]),
        view(7, &[(9, 4)], &[(0, 0)]),
        view(7, &[(0, 0)], &[(9, 1)]),
        view(0, &[(90, 33)], &[(33, 1)]),
        view(0, &[(400, 7)], &[(7, 1)]),
        view(5, &[(3, 991)], &[(991, 1)]),
        view(0, &[(62, 48)], &[(48, 1)]),
        view(8, &[(40, 64)], &[(24, 1)]),
    ]
}

pub fn costs() -> Vec<Cost> {
    let positions = |cost: Cost| Cost { positions: true, ..cost };
    let mut costs = plain();
    costs.extend([
        positions(Cost::plain(3, true)),
        Cost { element_bytes: 2, ..Cost::plain(1, true) },
        positions(Cost { element_bytes: 8, element_trips: 7, combine_trips: 2, ..Cost::plain(4, true) }),
    ]);
    costs
}

fn short(tuning: Tuning, most: u64) -> Tuning {
    tuning.each(|launch| launch.short_rows_max = most)
}

#[test]
fn every_view() {
    for limits in some_limits() {
        let limits = Limits { binding_bytes_max: limits.binding_bytes_max.max(2048), ..limits };
        for (number, tuning) in some_tunings().into_iter().enumerate() {
            let tuning = short(tuning, [0, 40, 1000][number % 3]);
            for (turn, cost) in costs().into_iter().enumerate() {
                let mut case = Case::new(limits, tuning, cost);
                let planner = case.planner();
                for (number, view) in some_views().into_iter().enumerate() {
                    case.pieces = vec![Piece::of(1, (number as u64 + turn as u64) % 5, 3000)];
                    case.direct = (number + turn) % 3 > 0;
                    case.store = if turn % 2 == 0 { Store::Sealed } else { Store::Answer { counted: number % 2 == 0 } };
                    case.output = number as u32;
                    case.start = turn as u64;
                    case.view = Some(view);
                    checked_if_bound(&case, &planner);
                }
            }
        }
    }
}

#[test]
fn of_all_kinds_of_operators() {
    for (turn, limits) in some_limits().into_iter().enumerate() {
        for (number, tuning) in some_tunings().into_iter().enumerate() {
            for cost in every_other(turn + number, &with_bins()) {
                let mut case = Case::new(roomy(limits), tuning, cost);
                let planner = case.planner();
                for (number, view) in some_views().into_iter().enumerate() {
                    let other = beside(number as u64 / 2, 2, 17, case.cost.element_bytes);
                    let piece = Piece::of(0, number as u64, 3000);
                    case.pieces = vec![Piece { other: other.filter(|_| number % 2 == 0), ..piece }];
                    (case.view, case.direct) = (Some(view), number % 2 == 1);
                    checked_if_bound(&case, &planner);
                }
            }
        }
    }
}

/// Buffers that end within rows, columns and vectors; windows shorter than a column is long.
#[test]
fn across_buffers_and_windows() {
    let lists = [vec![1000, 1000, 1000], vec![1, 2998, 1], vec![37; 82], vec![3000], vec![5, 0, 700, 3, 2292]];
    for (number, limits) in some_limits().into_iter().enumerate() {
        for tuning in [small(), short(some_tunings()[1], 100)] {
            for cost in costs() {
                let mut case =
                    Case::new(Limits { binding_bytes_max: limits.binding_bytes_max.max(1024), ..limits }, tuning, cost);
                let planner = case.planner();
                for (turn, list) in lists.iter().enumerate() {
                    let piece = |(k, &n): (usize, &u64)| Piece::of(k % 3, (k as u64 * 5) % 11, n);
                    case.pieces = list.iter().enumerate().map(piece).collect();
                    for view in every_other(number + turn, &some_views()) {
                        case.view = Some(view);
                        checked_if_bound(&case, &planner);
                    }
                }
            }
        }
    }
}

/// Real launch policies, by the kernel that they take.
#[test]
fn real_launches() {
    let costs = [Cost::plain(1, true), Cost::plain(5, false), Cost { positions: true, ..Cost::plain(3, true) }];
    for (turn, (tuning, lanes)) in [(Tuning::GPU, 32), (Tuning::NVIDIA, 32), (Tuning::CPU, 8)].into_iter().enumerate() {
        for (number, cost) in costs.iter().enumerate() {
            // Every two of tuning, operator and limits meet.
            let subgroups = (turn + number) % 2 == 0;
            let limits = match subgroups {
                true => limits(1 << 27, 256, Some((lanes, lanes)), 16384),
                false => limits(BYTES_MAX, 32, None, 32768),
            };
            let mut case = Case::new(limits, tuning, cost.clone());
            let planner = case.planner();
            let columns = |n: u64, rows: u64| view(0, &[(n, 1)], &[(rows, n as i64)]);
            for (view, own) in [
                (columns(256, 1024), Some(4)),
                (columns(1 << 14, 16), Some(4)),
                (columns(3, 75_000), Some(1)),
                (columns(501, 499), Some(1)),
                (view(0, &[(16, 1 << 14), (128, 1)], &[(128, 128)]), Some(4)),
                (view(0, &[(1 << 13, 32)], &[(32, 1)]), Some(1)),
                (view(0, &[(3, 1)], &[(5, 3)]), Some(1)),
                (view(0, &[(2, 1 << 17)], &[(1 << 16, 2)]), None),
            ] {
                (case.pieces, case.view) = (vec![Piece::of(0, 0, 1 << 18)], Some(view));
                let plan = checked(&case, &planner);
                let found = match plan.passes[0].variant.kernel {
                    Kernel::Columns { own, .. } => Some(own),
                    _ => None,
                };
                assert_eq!(found, own, "{:?}", case.view);
            }
        }
    }
}

/// What has memory of an invocation has one column there, and no parts of it, where columns or rows are as many as each is long; fewer have
/// workgroups.
#[test]
fn memory_of_an_invocation_holds_one_answer() {
    for cost in [long(8, 68), long(4, 11)] {
        let mut case = Case::new(limits(1 << 27, 256, Some((32, 32)), 49_152), Tuning::NVIDIA, cost);
        let planner = case.planner();
        let columns = |n: u64, rows: u64| view(0, &[(n, 1)], &[(rows, n as i64)]);
        for (view, own) in [
            (columns(512, 128), true),
            (columns(4096, 256), true),
            (columns(300, 300), true),
            (view(0, &[(64, 640), (8, 1)], &[(80, 8)]), true),
            (columns(299, 300), false),
            (columns(4, 100_000), false),
            (view(0, &[(2048, 16)], &[(16, 1)]), true),
            (view(5, &[(16, 21)], &[(16, 1)]), true),
            (view(0, &[(16, 3), (8, 600)], &[(16, 50)]), true),
            (view(0, &[(15, 16)], &[(16, 1)]), false),
        ] {
            (case.pieces, case.view) = (vec![Piece::of(0, 0, 1 << 20)], Some(view));
            let plan = checked(&case, &planner);
            let kernel = plan.passes[0].variant.kernel;
            assert_eq!(matches!(kernel, Kernel::Columns { own: 1, .. }), own, "{:?}: {kernel:?}", case.view);
            assert!(own == (kernel != Kernel::Reduce) && (!own || plan.passes.len() == 1), "{:?}", case.view);
        }
    }
}

/// More answers than the workgroups of one dispatch finish.
#[test]
fn answers_finished_by_few_workgroups() {
    let mut most = 0;
    for tuning in some_tunings() {
        for cost in with_bins().into_iter().filter(|cost| cost.finish_pass.is_some()) {
            let mut case = Case::new(roomy(some_limits()[4]), short(tuning, 100), cost);
            (case.pieces, case.store) = (vec![Piece::of(0, 0, 80)], Store::Answer { counted: true });
            for view in [view(0, &[(80, 1)], &[]), view(78, &[(40, -2)], &[(2, 1)])] {
                case.view = Some(view);
                let plan = checked(&case, &case.planner());
                let finish = plan.passes.iter().filter(|pass| pass.variant.kernel == Kernel::Finish);
                most = finish.map(|pass| pass.workgroups).max().unwrap_or(0).max(most);
            }
        }
    }
    assert_eq!(most, 26, "workgroups that this device may launch");
}

/// A view of more dispatches than a plan may have.
#[test]
fn scattered_views_are_told() {
    let limits = limits(512, 256, None, 16384);
    let mut case = Case::new(limits, small(), Cost { positions: true, ..Cost::plain(1, true) });
    case.pieces = vec![Piece::of(0, 0, 1 << 26)];
    case.view = Some(view(0, &[], &[(1 << 12, 1), (1 << 12, 1 << 14)]));
    let error = case.plan(&case.planner()).expect_err("scattered");
    assert!(matches!(error, Error::ViewTooScattered { .. }), "{error}");
}

#[test]
fn views_outside_are_told() {
    let mut case = Case::new(some_limits()[7], small(), Cost::plain(1, true));
    case.pieces = vec![Piece::of(0, 0, 99)];
    case.view = Some(view(0, &[(10, 1)], &[(10, 10)]));
    let error = case.plan(&case.planner()).expect_err("outside");
    assert!(matches!(error, Error::ViewOutside { low: 0, high: 99, elements: 99 }), "{error}");
}

prop_compose! {
    fn any_dim()(length in prop_oneof![0u64..6, 1u64..40, 1u64..300], stride in -60i64..60) -> Dim {
        Dim { length, stride }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn views_of_anything(
        (mut kept, mut reduced) in (prop::collection::vec(any_dim(), 0..4), prop::collection::vec(any_dim(), 0..4)),
        cuts in prop::collection::vec(0u64..4000, 0..4),
        (limits, tuning) in (prop::sample::select(some_limits()), prop::sample::select(some_tunings())),
        cost in prop::sample::select([costs(), with_bins()].concat()),
        (most, start, direct, counted) in (0u64..300, 0u64..100, any::<bool>(), any::<bool>()),
        vectors in any::<bool>(),
    ) {
        // Not too many elements.
        for dims in [&mut kept, &mut reduced] {
            while dims.iter().map(|dim| dim.length).product::<u64>() > if vectors { 50 } else { 300 } {
                dims.pop();
            }
        }
        if vectors {
            kept.push(Dim { length: 16, stride: 1 });
            kept.iter_mut().rev().skip(1).chain(&mut reduced).for_each(|dim| dim.stride *= 8);
        }
        let strided = Strided { first: 0, kept, reduced }.collapsed();
        let (low, high) = strided.span();
        let strided = Strided { first: (-low) as u64, ..strided };
        let elements = (high - low + 1) as u64;
        let mut ends: Vec<u64> = cuts.into_iter().map(|cut| cut.min(elements)).chain([elements]).collect();
        ends.sort_unstable();
        let mut before = 0;
        let pieces = ends.into_iter().enumerate().map(|(k, end)| {
            let piece = Piece::of(k, 3 * k as u64, end - before);
            before = end;
            piece
        });
        let cost = if let [GroupCost::Values { .. }] = cost.groups[..] { cost } else { Cost { positions: most % 2 == 0, ..cost } };
        let limits = roomy(limits);
        let store = if counted { Store::Answer { counted } } else { Store::Sealed };
        let case = Case {
            pieces: pieces.collect(), view: Some(strided), start, direct, store,
            ..Case::new(limits, short(tuning, most), cost)
        };
        let planner = case.planner();
        assert!(case.cost.commutative || planner.tuning().order == Order::Blocked);
        match case.plan(&planner) {
            Ok(plan) => check(&case, &planner, &plan),
            Err(Error::LimitTooSmall { value, needs, .. }) => prop_assert!(needs > value, "{needs}"),
            Err(Error::TooManyTrips { .. } | Error::TooManyPartials { .. }) => prop_assert!(case.cost.combine_trips > 0 || case.tuning.single_workgroup_size == 1),
            // Dispatches of a few elements each.
            Err(Error::ViewTooScattered { .. }) => {
                prop_assert!(limits.binding_bytes_max < 1 << 14 || tuning.dispatch_bytes_max < 1 << 20)
            }
            Err(error) => prop_assert!(false, "{error}"),
        }
    }
}
