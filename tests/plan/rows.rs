//! Rows of one length.

use crate::cases::{BYTES_MAX, Case, beside, limits, one, plain, roomy, small, some_limits, some_tunings, with_bins};
use crate::parts::every_other;
use crate::{checked, checked_if_bound};
use treefold::Tuning;
use treefold::internals::{Cost, Limits, Piece, Store};

/// Limits whose bindings hold a few partials.
fn bound(limits: Limits) -> Limits {
    Limits { binding_bytes_max: limits.binding_bytes_max.max(2048), ..limits }
}

#[test]
fn every_short_row() {
    for limits in some_limits() {
        for tuning in some_tunings() {
            for cost in plain() {
                let mut case = Case::new(bound(limits), tuning, cost);
                let planner = case.planner();
                for length in (1..=40).chain([63, 64, 65, 127, 128, 129, 255, 256, 257, 600]) {
                    for rows in [0, 1, 2, 3, 5, 17] {
                        case.row = Some(length);
                        case.pieces = one(0, (length + rows) % 10, length * rows);
                        case.direct = (length + rows) % 3 > 0;
                        case.store =
                            if rows % 2 == 0 { Store::Sealed } else { Store::Answer { counted: length % 2 == 0 } };
                        case.output = (rows * 3) as u32;
                        checked(&case, &planner);
                    }
                }
            }
        }
    }
}

#[test]
fn rows_of_all_kinds_of_operators() {
    for limits in some_limits() {
        for tuning in some_tunings() {
            for cost in with_bins() {
                let mut case = Case::new(roomy(limits), tuning, cost);
                let planner = case.planner();
                for (length, rows) in
                    [(1, 40), (2, 7), (3, 9), (7, 30), (16, 5), (61, 11), (130, 6), (1000, 3), (2500, 2)]
                {
                    for direct in [true, false] {
                        (case.row, case.direct) = (Some(length), direct);
                        case.pieces = one(0, rows, length * rows);
                        checked_if_bound(&case, &planner);
                        case.pieces[0].other =
                            beside(rows + u64::from(direct), 1, length % 131, case.cost.element_bytes);
                        if case.pieces[0].other.is_some() {
                            checked_if_bound(&case, &planner);
                        }
                    }
                }
            }
        }
    }
}

/// Rows that end in another buffer than they begin in, and buffers of many rows.
#[test]
fn rows_across_pieces_and_windows() {
    let pieces = |lengths: &[u64]| -> Vec<Piece> {
        lengths.iter().enumerate().map(|(k, &n)| Piece::of(k % 3, (k as u64 * 5) % 11, n)).collect()
    };
    let lists = [
        vec![10, 20, 30],
        vec![1, 0, 58, 1],
        vec![7; 60],
        vec![1; 120],
        vec![300, 11, 300, 589],
        vec![1200],
        vec![1199, 1],
    ];
    for (turn, limits) in some_limits().into_iter().enumerate() {
        // Limits of one alignment stand at every other place.
        for tuning in every_other(turn + turn / 2, &some_tunings()) {
            for (cost, limits) in [
                (plain()[0].clone(), bound(limits)),
                (plain()[1].clone(), bound(limits)),
                (with_bins()[9].clone(), roomy(limits)),
            ] {
                let mut case = Case::new(limits, tuning, cost);
                let planner = case.planner();
                for list in &lists {
                    let n: u64 = list.iter().sum();
                    for length in (1..=n).filter(|length| n.is_multiple_of(*length)) {
                        (case.pieces, case.row, case.direct) = (pieces(list), Some(length), length % 2 == 0);
                        checked_if_bound(&case, &planner);
                    }
                }
            }
        }
    }
}

#[test]
fn long_rows_and_many_rows() {
    let real = [
        (Tuning::GPU, Some((32, 32))),
        (Tuning::NVIDIA, Some((32, 32))),
        (Tuning::CPU, Some((8, 8))),
        (Tuning::GPU, None),
    ];
    for (tuning, lanes) in real {
        let tuning = tuning.each(|launch| launch.short_rows_max = 0);
        for cost in [Cost::plain(2, true), with_bins()[3].clone(), with_bins()[9].clone()] {
            let mut case = Case::new(limits(1 << 27, 256, lanes, 16384), tuning, cost);
            let planner = case.planner();
            for (length, rows) in [(1, 1000), (5, 9000), (1023, 300), (4097, 50), (65_537, 5), (300_001, 3)] {
                (case.row, case.pieces) = (Some(length), one(0, 3, length * rows));
                for direct in [true, false] {
                    case.direct = direct;
                    checked(&case, &planner);
                }
            }
        }
    }
}

/// More rows than workgroups of a dispatch: 65,535, or what the device has.
#[test]
fn grids_of_rows_are_cut() {
    for workgroups_max in [2, 3, 100, 65_535, 1 << 20] {
        let limits = Limits { workgroups_max, ..limits(BYTES_MAX, 256, None, 16384) };
        let mut case = Case::new(limits, small(), Cost::plain(1, true));
        let planner = case.planner();
        let (rows, passes) =
            if workgroups_max < 1000 { (1000, 1000u64.div_ceil(workgroups_max.into())) } else { (131_071, 3) };
        for (direct, times) in [(true, 1), (false, 2)] {
            (case.row, case.pieces, case.direct) = (Some(3), one(0, 1, 3 * rows), direct);
            assert_eq!(checked(&case, &planner).passes.len() as u64, times * passes, "{workgroups_max}");
        }
    }
}

/// Partials of many rows outgrow one binding.
#[test]
fn dispatches_of_rows_end_where_their_partials_fill_a_binding() {
    for (cost, rows) in [(Cost::plain(3, true), 3000), (with_bins()[9].clone(), 200), (with_bins()[8].clone(), 900)] {
        for binding in [1 << 12, 1 << 13, 9000 / 256 * 256] {
            let mut case = Case::new(limits(binding, 256, None, 16384), small(), cost.clone());
            let planner = case.planner();
            for length in [1, 2, 9] {
                (case.row, case.pieces, case.direct) = (Some(length), one(0, 2, rows * length), false);
                let passes = checked(&case, &planner).passes.len();
                assert!(passes as u64 > rows * cost.partial_bytes() / binding, "{passes}");
            }
        }
    }
}

/// Rows longer than a binding, and longer than a dispatch.
#[test]
fn huge_rows() {
    for (tuning, binding) in [(Tuning::GPU, 1 << 27), (Tuning::CPU, BYTES_MAX), (Tuning::NVIDIA, BYTES_MAX)] {
        for (length, rows) in [((1 << 33) + 1, 3), (1 << 28, 7), ((1 << 20) + 1, 5000), (1000, 40_000_000)] {
            let each = 1 << 30;
            let n: u64 = length * rows;
            let pieces = (0..n.div_ceil(each)).map(|k| Piece::of(k as usize, k % 5, each.min(n - k * each)));
            let case = Case::new(limits(binding, 256, Some((32, 32)), 16384), tuning, Cost::plain(4, true));
            let case = Case { pieces: pieces.collect(), row: Some(length), ..case };
            if rows < 1_000_000 {
                checked(&case, &case.planner());
            } else {
                assert_eq!(case.plan(&case.planner()).map(|plan| plan.rows).ok(), Some(rows));
            }
        }
    }
}

/// Every remainder of vectors around the strides of a grid.
#[test]
fn rows_around_whole_strides() {
    for cost in [
        Cost::plain(1, true),
        Cost { element_bytes: 2, ..Cost::plain(1, true) },
        Cost { element_bytes: 8, ..Cost::plain(1, true) },
    ] {
        for tuning in some_tunings().into_iter().take(4) {
            let mut case = Case::new(limits(BYTES_MAX, 32, Some((4, 8)), 16384), tuning, cost.clone());
            let planner = case.planner();
            let launch = planner.launch();
            let unit = 16 / cost.element_bytes;
            let tile = u64::from(launch.workgroup_size * launch.loads_in_flight) * unit;
            for strides in [1, 2, 3, 4, 6, 9] {
                for length in (tile * strides).saturating_sub(unit + 1).max(1)..=tile * strides + unit + 1 {
                    for first in [0, 1, unit - 1] {
                        (case.row, case.pieces, case.direct) =
                            (Some(length), one(0, first, 5 * length), first % 2 == 0);
                        checked(&case, &planner);
                    }
                }
            }
        }
    }
}

#[test]
fn no_rows() {
    let case = Case { row: Some(7), ..Case::new(some_limits()[7], small(), Cost::plain(1, true)) };
    assert!(checked(&case, &case.planner()).passes.is_empty());
}
