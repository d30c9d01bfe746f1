//! Operators whose functions loop: up to what an invocation may take, and beyond.

use crate::cases::{BYTES_MAX, Case, grouped, limits, long, narrow_bins, one, small};
use crate::model::check;
use treefold::internals::{Cost, Kernel, Limits, Load, TRIPS_MAX};
use treefold::{Error, Tuning};

fn looping(element: u64, vector: Option<u64>, combine: u64) -> Cost {
    let longest = if combine > element { ("combine", combine) } else { ("lift", element) };
    let (element_trips, vector_trips, combine_trips) = (element, vector, combine);
    Cost { element_trips, vector_trips, combine_trips, longest, ..Cost::plain(3, true) }
}

/// The load of the pass that reads, or how many trips there is room for; checked either way, in whole inputs and in rows.
fn planned(limits: Limits, tuning: Tuning, cost: Cost, n: u64) -> Result<Load, u64> {
    let longest = cost.longest;
    let tuning = tuning.each(|launch| launch.short_rows_max = 0);
    let mut case = Case { pieces: one(0, 3, n), ..Case::new(limits, tuning, cost) };
    let error = |error: Error| match error {
        Error::TooManyTrips { function, trips, most } => {
            assert_eq!((function, trips), longest);
            assert!(most < trips && most <= TRIPS_MAX, "{most} of {trips}");
            most
        }
        error => panic!("{error}"),
    };
    let planner = treefold::internals::Planner::new(case.limits, case.tuning, case.cost.clone()).map_err(error)?;
    let mut load = Load::Vector;
    // Rows of all lengths go to workgroups, but for short ones of what lies in an invocation's memory; views have tests of their own.
    for row in [None, Some(n), Some(n / 2), Some(n / 40), Some(1)] {
        case.row = row;
        case.pieces[0].elements = row.map_or(n, |row| n / row * row);
        let plan = case.plan(&planner).map_err(error)?;
        check(&case, &planner, &plan);
        let reads = plan.passes.iter().find(|pass| pass.variant.kernel.reads());
        load = reads.expect("a pass that reads").variant.load;
    }
    Ok(load)
}

#[test]
fn loops_of_elements_and_vectors() {
    for tuning in [small(), Tuning::GPU, Tuning::NVIDIA, Tuning::CPU] {
        for lanes in [None, Some((32, 32))] {
            let limits = limits(BYTES_MAX, 256, lanes, 16384);
            for trips in [1, 5, 10, 50, 100, 200, 500, 700, 1000, 2000, 4000, 8000] {
                let load = planned(limits, tuning, looping(trips, None, 0), 4000).expect("one element fits");
                // Twice a round of a vector, and six elements of the ends.
                assert_eq!(load == Load::One, trips >= 2000, "{trips}: {load:?}");
                let load = planned(limits, tuning, looping(trips / 8, Some(trips), 0), 4000).expect("a vector fits");
                assert_eq!(load == Load::One, trips >= 8000, "{trips}: {load:?}");
            }
            for trips in [8200, 16_384, 1 << 40] {
                let most =
                    planned(limits, tuning, looping(trips, None, 0), 4000).expect_err("one element does not fit");
                assert!((8000..8192).contains(&most), "{most}");
            }
        }
    }
}

#[test]
fn loops_of_combines() {
    for tuning in [small(), Tuning::GPU, Tuning::CPU] {
        for lanes in [None, Some((4, 128)), Some((32, 32))] {
            let limits = limits(BYTES_MAX, 256, lanes, 16384);
            for trips in [1, 10, 100, 400, 700, 1000, 1200, 2000, 4000, 5000] {
                let long = looping(trips, None, trips);
                if let Err(most) = planned(limits, tuning, long, 300) {
                    assert!(trips >= 1000, "{trips} of {most}");
                }
            }
            assert!(planned(limits, tuning, looping(0, None, 9000), 300).is_err());
        }
    }
}

/// A value of many words that a subgroup shares, but that smaller workgroups must hold one by one.
#[test]
fn workgroups_that_shrink_for_trips_keep_their_memory() {
    let limits = limits(BYTES_MAX, 256, Some((32, 32)), 16384);
    for combine in [900, 1000, 1500, 2500] {
        let cost = Cost { combine_trips: combine, longest: ("combine", combine), ..Cost::plain(300, true) };
        let _ = planned(limits, Tuning::GPU, cost, 3000);
    }
}

/// Elements of every width, one at a time.
#[test]
fn elements_one_at_a_time() {
    for bytes in [2, 4, 8] {
        let cost = Cost { element_trips: 3000, longest: ("lift", 3000), ..long(bytes, 4) };
        let cost = Cost { combine_trips: 4, ..cost };
        let limits = limits(4096, 32, Some((8, 32)), 16384);
        for n in 40..120 {
            assert_eq!(planned(limits, small(), cost.clone(), n), Ok(Load::One));
        }
    }
}

/// Full grids, to the last trip of an invocation.
#[test]
fn full_dispatches_state_no_more_trips_than_there_are() {
    for tuning in [Tuning::GPU, Tuning::CPU, small()] {
        let cost = looping(100, None, 0);
        let limits = limits(BYTES_MAX, 256, None, 16384);
        let case = Case { pieces: one(0, 0, 1 << 28), ..Case::new(limits, tuning, cost) };
        let planner = case.planner();
        match case.plan(&planner) {
            Ok(plan) => check(&case, &planner, &plan),
            Err(error) => panic!("{error}"),
        }
    }
}

/// Dispatches of few elements each leave more partials than one workgroup can combine.
#[test]
fn too_many_partials_to_combine() {
    let planned = |elements: u64, combine: u64| {
        let cost = looping(combine, None, combine);
        let limits = Limits { workgroups_max: 1, ..limits(BYTES_MAX, 1, None, 16384) };
        let case = Case { pieces: one(0, 0, elements), ..Case::new(limits, small(), cost) };
        case.plan(&case.planner()).map(drop)
    };
    // The loop is at fault.
    let error = planned(5000, 4000).expect_err("partials of 5000 elements");
    assert!(matches!(error, Error::TooManyTrips { function: "lift", trips: 4000, most: 0..4000 }), "{error}");
    // No function is.
    let error = planned(1 << 39, 0).expect_err("partials of 2^39 elements");
    let Error::TooManyPartials { elements, partials, most } = error else { panic!("{error}") };
    assert_eq!(elements, 1 << 39);
    assert!(most > 1000 && most < partials, "{most} of {partials}");
}

/// One workgroup at a time, so that only the counters say how much it takes.
#[test]
fn counters_do_not_overflow() {
    let tuning = Tuning::NVIDIA.each(|launch| launch.workgroups_max = 1);
    for (replicas, n) in [(1, 1 << 24), (8, 1 << 26), (32, 1 << 28)] {
        let cost = grouped(2, vec![narrow_bins(replicas)]);
        let case = Case { pieces: one(0, 5, n), ..Case::new(limits(1 << 30, 256, None, 49_152), tuning, cost) };
        let planner = case.planner();
        let plan = case.plan(&planner).expect("a plan");
        check(&case, &planner, &plan);
        let passes = plan.passes.iter().filter(|pass| pass.variant.kernel == Kernel::Reduce).count() as u64;
        assert!(passes >= n / ((1 << 21) * u64::from(replicas)), "{passes} passes, {replicas} replicas");
    }
}
