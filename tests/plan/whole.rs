//! Whole inputs: lengths, offsets, pieces, huge inputs, and what cannot be planned.

use crate::cases::{
    BYTES_MAX, Case, beside, grouped, histogram_bins, limits, long, one, plain, roomy, small, some_limits,
    some_tunings, with_bins,
};
use crate::model::check;
use crate::parts::every_other;
use crate::{checked, checked_if_bound};
use std::time::{Duration, Instant};
use treefold::half::{bf16, f16};
use treefold::internals::{Cost, DeviceOp, Keep, Kernel, Limits, Piece, Plan, Planner, Store};
use treefold::ops::{Dot, Filtered, Histogram, Norm1, Stats, Sum, SumOfSquares, Variance};
use treefold::{Element, Error, Op, Order, Tuning, Widened};

#[test]
fn every_short_length_and_offset() {
    for limits in some_limits() {
        for tuning in some_tunings() {
            for cost in plain() {
                let mut case = Case::new(limits, tuning, cost);
                let planner = case.planner();
                for n in 0..=300 {
                    // All ten offsets, spread over neighbouring lengths.
                    for first in [n % 10, (n + 7) % 10] {
                        case.pieces = one(0, first, n);
                        case.direct = (n + first) % 3 > 0;
                        case.start = if n % 2 == 0 { 0 } else { (1 << 32) - 5 + first };
                        checked_if_bound(&case, &planner);
                    }
                }
            }
        }
    }
}

/// Elements of 2, 4 and 8 bytes, with bins and without, and pairs of inputs at all distances.
#[test]
fn every_short_length_and_offset_of_all_kinds_of_operators() {
    for limits in some_limits() {
        for tuning in some_tunings() {
            for cost in with_bins() {
                let mut case = Case::new(roomy(limits), tuning, cost);
                let planner = case.planner();
                for n in (0..=30).chain((31..=250).step_by(5)) {
                    for first in [n % 10, (n + 7) % 10] {
                        case.pieces = one(0, first, n);
                        case.direct = (n + first) % 3 > 0;
                        case.store = if n % 2 == 0 { Store::Sealed } else { Store::Answer { counted: n % 3 == 0 } };
                        case.output = (n * 7) as u32;
                        checked(&case, &planner);
                        // Both in one buffer, or the second in another, up to two alignments away.
                        let (buffer, place) = ((n % 2) as usize, (first * 13 + n) % 131);
                        case.pieces[0].other = beside(n + first, buffer, place, case.cost.element_bytes);
                        if case.pieces[0].other.is_some() {
                            checked(&case, &planner);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn boundaries_of_subgroups_workgroups_grids_and_bindings() {
    for (number, limits) in some_limits().into_iter().enumerate() {
        for tuning in some_tunings() {
            let mut case = Case::new(limits, tuning, plain()[number % 4].clone());
            let planner = case.planner();
            let launch = planner.launch();
            let tile = u64::from(launch.workgroup_size * launch.loads_in_flight) * 4;
            let grid = tile * u64::from(launch.workgroups_max);
            let (binding, dispatch) =
                (limits.binding_bytes_max.min(1 << 14) / 4, tuning.dispatch_bytes_max.min(1 << 16) / 4);
            let lanes = limits.lanes.map_or(4, |lanes| u64::from(lanes.1));
            let single = launch.single_elements_max.min(1 << 14);
            let size = launch.workgroup_size.into();
            for edge in [lanes, lanes * 4, size, tile, 2 * tile, single, grid, 3 * grid, binding, 3 * binding, dispatch]
            {
                for n in edge.saturating_sub(1)..=edge + 1 {
                    for first in [0, 1, 2, 3, 7] {
                        case.pieces = one(2, first + (edge % 3) * 64, n);
                        checked_if_bound(&case, &planner);
                    }
                }
            }
        }
    }
}

#[test]
fn real_launch_shapes() {
    let real = [(Tuning::GPU, (32, 32)), (Tuning::NVIDIA, (32, 32)), (Tuning::CPU, (8, 8))];
    for (turn, (tuning, lanes)) in real.into_iter().enumerate() {
        for (number, cost) in plain().into_iter().chain(with_bins()).enumerate() {
            let both = [limits(1 << 27, 256, Some(lanes), 16384), limits(BYTES_MAX, 16, None, 32768)];
            for limits in every_other(number + turn, &both) {
                let mut case = Case::new(limits, tuning, cost.clone());
                let planner = case.planner();
                let launch = planner.launch();
                let single = launch.single_elements_max;
                // Operators with loops are cut at 2^32 elements.
                let huge = if cost.combine_trips > 0 { 1 << 32 } else { (1 << 34) + 1 };
                for n in [1, single, single + 1, 1_000_003, (1 << 24) + 5, huge] {
                    if n == 1_000_003 && number % 4 > 0 {
                        continue;
                    }
                    case.pieces = vec![Piece::of(0, n % 7, n)];
                    let plan = checked(&case, &planner);
                    // One workgroup up to the policy's length, and beyond it where its vectors are one round.
                    let per_vector = 16 / case.cost.element_bytes;
                    let vectors = (n % 7 + n) / per_vector - (n % 7).div_ceil(per_vector).min((n % 7 + n) / per_vector);
                    let round = u64::from(launch.workgroup_size) * u64::from(launch.loads_in_flight);
                    let one = (n <= single || vectors <= round) && !cost.in_memory() && cost.slices() == 1;
                    assert_eq!(plan.passes.len() == 1, one, "{case:?}");
                    case.pieces[0].other = beside(n, 1, n % 77, case.cost.element_bytes);
                    if case.pieces[0].other.is_some() {
                        checked(&case, &planner);
                    }
                }
            }
        }
    }
}

#[test]
fn several_pieces_in_several_buffers() {
    let piece = Piece::of;
    let lists = [
        vec![],
        vec![piece(0, 5, 0), piece(1, 0, 0)],
        vec![piece(0, 0, 0), piece(1, 3, 1), piece(2, 9, 0)],
        vec![piece(0, 1, 130), piece(0, 131, 1), piece(1, 0, 129), piece(2, 7, 0), piece(1, 2, 500)],
        // The same elements again and again, and backwards.
        vec![piece(3, 64, 64), piece(3, 0, 64), piece(3, 64, 64), piece(3, 65, 2)],
        (0..40).map(|k| piece(k, k as u64 % 10, k as u64 % 6)).collect(),
    ];
    for limits in some_limits() {
        for tuning in some_tunings() {
            for cost in plain() {
                for pieces in &lists {
                    for direct in [true, false] {
                        // Positions that wrap around u32 and u64 on the way.
                        for start in [0, (1 << 32) - 100, u64::MAX - 200] {
                            let pieces = pieces.clone();
                            let case = Case { pieces, start, direct, ..Case::new(limits, tuning, cost.clone()) };
                            checked_if_bound(&case, &case.planner());
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_buffer_that_is_written_is_not_read_in_the_same_pass() {
    for n in [1, 50, 5000] {
        let case = Case { pieces: one(0, 3, n), ..Case::new(some_limits()[7], small(), plain()[0].clone()) };
        let passes = |direct| checked(&Case { direct, ..case.clone() }, &case.planner()).passes.len();
        assert!(passes(false) > 1);
        assert_eq!(passes(true) == 1, n <= 100);
    }
}

/// Buffers of up to 4 GiB, planned in no time.
fn huge(n: u64, tuning: Tuning, binding: u64, cost: Cost) -> Plan {
    let each = 1 << 30;
    let pieces = (0..n.div_ceil(each)).map(|k| Piece::of(k as usize, k % 5, each.min(n - k * each)));
    let case =
        Case { pieces: pieces.collect(), ..Case::new(limits(binding, 256, Some((32, 32)), 16384), tuning, cost) };
    let (planner, start) = (case.planner(), Instant::now());
    let plan = case.plan(&planner).unwrap_or_else(|error| panic!("{error}: {n}"));
    assert!(start.elapsed() < Duration::from_secs(2), "{:?} for {n} elements", start.elapsed());
    check(&case, &planner, &plan);
    plan
}

#[test]
fn huge_inputs_are_planned_fast_and_within_limits() {
    let value = || Cost::plain(4, true);
    for n in [1 << 31, (1 << 33) + 1, (1 << 40) - 3] {
        for tuning in [Tuning::GPU, Tuning::NVIDIA] {
            huge(n, tuning, BYTES_MAX, value());
            huge(n.min(1 << 36), tuning, 1 << 27, long(4, 11));
        }
        huge(n, Tuning::CPU, BYTES_MAX, value());
    }
    for cost in with_bins().into_iter().filter(|cost| cost.element_bytes == 4) {
        huge((1 << 36) + 7, Tuning::GPU, 1 << 27, cost);
    }
    // One invocation a dispatch, in order; trips of a combine pass that grow with the dispatches.
    let single = Tuning::GPU.with(|t| t.single_workgroup_size = 1);
    huge(1 << 30, single.with(|t| (t.fold.workgroup_size, t.fold.workgroups_max) = (1, 1)), 1 << 27, value());
    huge(1 << 31, single.with(|t| t.dispatch_bytes_max = 1 << 20), 1 << 27, value());
}

#[test]
fn tunings_that_no_plan_can_keep() {
    let (limits, cost) = (some_limits()[0], &plain()[0]);
    let good = Tuning::GPU;
    let mut bad = Vec::new();
    for n in [0, 3, 48, u32::MAX] {
        bad.push(("fold.workgroup_size", u64::from(n), good.with(|t| t.fold.workgroup_size = n)));
        bad.push(("bins.workgroup_size", u64::from(n), good.with(|t| t.bins.workgroup_size = n)));
        bad.push(("counts.workgroup_size", u64::from(n), good.with(|t| t.counts.workgroup_size = n)));
        bad.push(("single_workgroup_size", u64::from(n), good.with(|t| t.single_workgroup_size = n)));
    }
    for n in [0, 65536, u32::MAX] {
        bad.push(("fold.workgroups_max", u64::from(n), good.with(|t| t.fold.workgroups_max = n)));
        bad.push(("bins.workgroups_max", u64::from(n), good.with(|t| t.bins.workgroups_max = n)));
        bad.push(("counts.workgroups_max", u64::from(n), good.with(|t| t.counts.workgroups_max = n)));
    }
    for n in [0, 17, u32::MAX] {
        bad.push(("fold.loads_in_flight", u64::from(n), good.with(|t| t.fold.loads_in_flight = n)));
        bad.push(("bins.loads_in_flight", u64::from(n), good.with(|t| t.bins.loads_in_flight = n)));
        bad.push(("counts.loads_in_flight", u64::from(n), good.with(|t| t.counts.loads_in_flight = n)));
    }
    for n in [0, 65536] {
        bad.push(("slices_max", u64::from(n), good.with(|t| t.slices_max = n)));
    }
    for n in [0, 4, 1023] {
        bad.push(("dispatch_bytes_max", n, good.with(|t| t.dispatch_bytes_max = n)));
    }
    for (name, number, tuning) in bad {
        let error = Planner::new(limits, tuning, cost.clone()).expect_err(name);
        let Error::BadTuning { what, value, rule } = &error else { panic!("{error:?}") };
        assert_eq!((*what, *value), (name, number));
        let message = error.to_string();
        assert!([name, rule, &number.to_string()].iter().all(|word| message.contains(word)), "{message}");
    }
    let most = good.with(|t| {
        (t.fold.workgroups_max, t.fold.loads_in_flight, t.fold.single_elements_max) = (65535, 16, u64::MAX);
        t.dispatch_bytes_max = u64::MAX;
    });
    let least = good.with(|t| {
        (t.fold.workgroup_size, t.fold.workgroups_max, t.fold.loads_in_flight) = (1, 1, 1);
        (t.single_workgroup_size, t.dispatch_bytes_max) = (1, 1024);
    });
    for tuning in [most, least] {
        let case = Case { pieces: one(0, 1, 5000), ..Case::new(limits, tuning, cost.clone()) };
        checked(&case, &case.planner());
    }
}

#[test]
fn devices_too_small_for_any_plan() {
    let tight = limits(4096, 256, None, 256);
    let error = Planner::new(tight, Tuning::GPU, Cost::plain(65, true)).expect_err("too large");
    let what = "max_compute_workgroup_storage_size";
    assert!(matches!(error, Error::LimitTooSmall { limit, value: 256, needs: 260 } if limit == what));
    let planner = Planner::new(tight, Tuning::GPU, Cost::plain(64, true)).expect("one invocation");
    assert_eq!((planner.launch().workgroup_size, planner.tuning().single_workgroup_size), (1, 1));
    let few = Limits { storage_buffers_max: 3, ..some_limits()[7] };
    assert!(Planner::new(few, Tuning::GPU, Cost::plain(1, true)).is_ok());
    let error = Planner::new(few, Tuning::GPU, Cost { table: true, ..Cost::plain(1, true) }).expect_err("a table");
    assert!(matches!(error, Error::LimitTooSmall { value: 3, needs: 4, .. }), "{error}");
}

#[test]
fn workgroups_shrink_until_they_fit() {
    let tuning = Tuning::NVIDIA.with(|t| t.fold.workgroup_size = 256);
    let planned = |limits, words, commutative| {
        let planner = Planner::new(limits, tuning, Cost::plain(words, commutative)).expect("a planner");
        let size = planner.launch().workgroup_size;
        (size, planner.lanes_min(size), planner.tuning().order)
    };
    let roomy = limits(BYTES_MAX, 256, Some((32, 32)), 16384);
    let little = Limits { workgroup_bytes_max: 1024, ..roomy };
    assert_eq!(planned(roomy, 3, true), (256, Some(32), Order::Striped));
    assert_eq!(planned(roomy, 3, false), (256, None, Order::Blocked));
    assert_eq!(planned(little, 3, false), (64, None, Order::Blocked));
    assert_eq!(planned(little, 14, true), (256, Some(32), Order::Striped));
    assert_eq!(planned(Limits { lanes: None, ..roomy }, 3, true), (256, None, Order::Striped));
    // Shuffles need full subgroups.
    let wide = Limits { lanes: Some((4, 128)), invocations_max: 64, ..roomy };
    assert_eq!(planned(wide, 3, true), (64, None, Order::Striped));
}

/// Folds with bins in one kernel: the lanes of a sum have a place in the replicas of each.
#[test]
fn lanes_of_a_sum_have_replicas() {
    for groups in [[8, 1], [1, 8], [32, 2]].map(|replicas| replicas.map(|replicas| histogram_bins(7, replicas))) {
        for lanes in [None, Some((32, 32))] {
            let limits = limits(BYTES_MAX, 256, lanes, 16384);
            let case = Case { pieces: one(0, 0, 5000), ..Case::new(limits, Tuning::GPU, grouped(4, groups.to_vec())) };
            checked(&case, &case.planner());
        }
    }
}

/// The least workgroup memory that a device may have.
#[test]
fn bins_in_little_workgroup_memory() {
    for (replicas, lanes) in [(1, None), (8, None), (1, Some((32, 32))), (8, Some((32, 32)))] {
        let limits = limits(BYTES_MAX, 256, lanes, 256);
        let cost = grouped(4, vec![histogram_bins(4, replicas)]);
        let case = Case { pieces: one(0, 0, 50_000), ..Case::new(limits, Tuning::GPU, cost) };
        checked(&case, &case.planner());
    }
}

/// Many columns with many replicas: both sums of each in each lane of a combine pass, beside what settles them.
#[test]
fn combined_bins_leave_room_for_what_settles_them() {
    let (limits, mut combined) = (limits(BYTES_MAX, 256, None, 16384), 0);
    for replicas in [1, 2, 4, 8] {
        let keep = Keep::Bins { replicas, words64: false, float64: false };
        let cost = Cost::of(&DeviceOp::new::<f64, _>(&SumOfSquares, keep).expect("names"));
        let Ok(planner) = Planner::new(limits, Tuning::CPU, cost.clone()) else { continue };
        let case = Case { pieces: one(0, 0, 1 << 22), ..Case::new(limits, Tuning::CPU, cost) };
        for pass in case.plan(&planner).expect("a plan").passes {
            let v = pass.variant;
            if matches!(v.kernel, Kernel::Combine { .. }) {
                // What settles holds four words of each column, and those of the number.
                assert!(16 * v.columns_here * v.lanes_per_sum + 16 * v.columns_here <= 16_000, "{v:?}");
                combined += 1;
            }
        }
    }
    assert!(combined > 1);
}

/// Exact sums of f64 in bins, those of bf16 in an f64, and counts that a multiprocessor runs alone and that ask no edge have twice the loads of their
/// policy, where the order is striped; nobody else has. Sums in f64 beside many values have half.
#[test]
fn loads_in_flight() {
    fn kept<T: Element, O: Op<T>>(op: O, tuning: Tuning, keep: Keep) -> u32 {
        let op = DeviceOp::new::<T, O>(&op, keep).expect("names");
        let planner = Planner::new(limits(1 << 27, 256, Some((32, 32)), 49_152), tuning, Cost::of(&op));
        planner.expect("a plan").launch().loads_in_flight
    }
    let bins = |float64| Keep::Bins { replicas: 8, words64: float64, float64 };
    fn loads<T: Element, O: Op<T>>(op: O, tuning: Tuning) -> u32 {
        kept::<T, O>(op, tuning, Keep::Bins { replicas: 8, words64: false, float64: false })
    }
    let counts =
        |bins, low, high, keep| kept::<f32, _>(Histogram::new(bins, low, high).expect("bins"), Tuning::NVIDIA, keep);
    let policy = Tuning::NVIDIA.counts.loads_in_flight;
    for (bins_of, low, high, found) in
        [(8192, 0.0, 1.0, 2), (4096, 0.0, 1.0, 1), (8192, -3.0, 4.0, 1), (5000, 0.0, 1.0, 1)]
    {
        assert_eq!(counts(bins_of, low, high, bins(false)), found * policy, "{bins_of}");
    }
    assert_eq!(counts(65_536, 0.0, 1.0, Keep::Slices { bytes: 32_768 }), 2 * policy);
    assert_eq!(counts(65_536, 0.0, 1.0, Keep::Memory), policy);
    let with = |loads: u32| Tuning::NVIDIA.with(|tuning| tuning.bins.loads_in_flight = loads);
    for (policy, found) in [(1, 2), (2, 4), (8, 16), (9, 16), (16, 16)] {
        assert_eq!(loads::<f64, _>(Sum, with(policy)), found);
        assert_eq!(loads::<f64, _>((Sum, Norm1), with(policy)), found);
        assert_eq!(kept::<bf16, _>(Widened(Sum), with(policy), bins(true)), found);
        assert_eq!(kept::<bf16, _>(Widened(Sum), with(policy), bins(false)), policy);
        assert_eq!(loads::<f32, _>(Sum, with(policy)), policy);
        let half = policy.div_ceil(2);
        assert_eq!(kept::<f32, _>(Stats::default(), with(policy), bins(true)), half);
        assert_eq!(kept::<f32, _>(Stats::default(), with(policy), bins(false)), policy);
        assert_eq!(kept::<f32, _>(Variance::default(), with(policy), bins(true)), policy);
        assert_eq!(loads::<[f32; 2], _>(Dot, with(policy)), policy);
        assert_eq!(loads::<f64, _>((Sum, SumOfSquares), with(policy)), policy);
        assert_eq!(loads::<f64, _>(Sum, with(policy).with(|tuning| tuning.order = Order::Blocked)), policy);
    }
}

/// What stays in f64 meanwhile has half the workgroups of its policy: exact sums of bf16 and f64, and squares of f32 beside another exact sum.
#[test]
fn workgroups_with_float64() {
    fn workgroups<T: Element, O: Op<T>>(op: O, float64: bool) -> u32 {
        let op = DeviceOp::new::<T, O>(&op, Keep::Bins { replicas: 8, words64: true, float64 }).expect("names");
        let planner = Planner::new(limits(1 << 27, 256, Some((32, 32)), 49_152), Tuning::NVIDIA, Cost::of(&op));
        planner.expect("a plan").launch().workgroups_max
    }
    let policy = Tuning::NVIDIA.bins.workgroups_max;
    for (float64, found) in [(true, policy / 2), (false, policy)] {
        assert_eq!(workgroups::<bf16, _>(Widened(Sum), float64), found);
        assert_eq!(workgroups::<f64, _>(Sum, float64), found);
        assert_eq!(workgroups::<f32, _>((Sum, SumOfSquares), float64), found);
        // What is left out of a vector goes to the bins one by one.
        assert_eq!(workgroups::<f32, _>(Filtered::not_nan(Variance::default()), float64), policy);
        assert_eq!(workgroups::<f32, _>(Sum, float64), policy);
        assert_eq!(workgroups::<f32, _>(SumOfSquares, float64), policy);
        // Those of f16 have no bins then.
        assert_eq!(workgroups::<f16, _>(Sum, float64), policy);
    }
}
