//! Plans of anything.

use crate::cases::{Case, beside, plain, roomy, with_bins};
use crate::model::check;
use proptest::prelude::*;
use treefold::internals::{Cost, Limits, Piece, Store};
use treefold::{Error, Order, Tuning};

fn power(most: u32) -> impl Strategy<Value = u32> {
    (0..=most).prop_map(|bits| 1 << bits)
}

prop_compose! {
    fn any_limits()(
        alignment in 4u32..=8,
        times in 2u64..300,
        invocations_max in 1u32..300,
        workgroups_max in 1u32..40,
        workgroup_bytes_max in 256u64..5000,
        lanes in prop::option::of((2u32..=5, 0u32..=3)),
    ) -> Limits {
        Limits {
            binding_bytes_max: (times << alignment).max(1024),
            storage_alignment: 1 << alignment,
            uniform_alignment: 256,
            invocations_max,
            workgroups_max,
            workgroup_bytes_max,
            storage_buffers_max: 4,
            lanes: lanes.map(|(least, more)| (1 << least, 1 << (least + more))),
            words64: alignment % 2 == 0,
        }
    }
}

prop_compose! {
    fn any_tuning()(
        (fold_size, bins_size, single_size) in (power(8), power(8), power(8)),
        (fold_groups, bins_groups) in (1u32..20, 1u32..20),
        (fold_loads, bins_loads) in (1u32..=16, 1u32..=4),
        single_elements_max in 0u64..5000,
        (blocked, subgroups) in any::<(bool, bool)>(),
        dispatch_bytes_max in prop_oneof![1024u64..9000, Just(1 << 30)],
    ) -> Tuning {
        Tuning::GPU.with(|t| {
            (t.fold.workgroup_size, t.bins.workgroup_size, t.single_workgroup_size) = (fold_size, bins_size, single_size);
            (t.fold.workgroups_max, t.bins.workgroups_max) = (fold_groups, bins_groups);
            (t.fold.loads_in_flight, t.bins.loads_in_flight) = (fold_loads, bins_loads);
            (t.fold.single_elements_max, t.bins.single_elements_max) = (single_elements_max, single_elements_max / 2);
            t.counts = t.bins;
            (t.order, t.subgroups) = (if blocked { Order::Blocked } else { Order::Striped }, subgroups);
            t.dispatch_bytes_max = dispatch_bytes_max;
            *t = t.each(|launch| launch.short_rows_max = 0);
        })
    }
}

prop_compose! {
    fn any_piece()(
        (buffer, other) in (0usize..4, 0usize..4),
        (first, second) in (0u64..2000, 0u64..2000),
        elements in prop_oneof![0u64..40, 0u64..4000],
    ) -> Piece {
        Piece { other: beside(0, other, second, 8), ..Piece::of(buffer, first, elements) }
    }
}

/// Operators of every kind; loops of some of them.
fn any_cost() -> impl Strategy<Value = Cost> {
    let all: Vec<Cost> = plain().into_iter().chain(with_bins()).collect();
    let trips = prop_oneof![Just(0u64), 0u64..50, 0u64..3000];
    (prop::sample::select(all), trips.clone(), trips, 0u64..200).prop_map(|(cost, element, vector, combine)| {
        let vector_trips = (vector % 2 == 1).then_some(vector);
        let (element_trips, combine_trips) = (cost.element_trips + element, cost.combine_trips + combine);
        Cost { element_trips, vector_trips, combine_trips, ..cost }
    })
}

/// The first elements of the pieces: so many rows of a length.
fn cut(pieces: &mut [Piece], length: u64) {
    let mut left = pieces.iter().map(|piece| piece.elements).sum::<u64>() / length * length;
    for piece in pieces.iter_mut() {
        piece.elements = piece.elements.min(left);
        left -= piece.elements;
    }
}

prop_compose! {
    fn any_case()(
        (limits, tuning, cost) in (any_limits(), any_tuning(), any_cost()),
        mut pieces in prop::collection::vec(any_piece(), 0..6),
        zip in prop::option::of(0u64..3),
        row in prop::option::of(prop_oneof![1u64..20, 1u64..300, 1u64..5000]),
        start in prop_oneof![Just(0), any::<u64>()],
        direct in any::<bool>(),
        store in prop::sample::select(vec![Store::Sealed, Store::Answer { counted: true }, Store::Answer { counted: false }]),
        output in 0u32..70,
    ) -> Case {
        for piece in &mut pieces {
            let of = |turn| piece.other.and_then(|at| beside(turn, at.buffer, at.first, cost.element_bytes));
            piece.other = zip.and_then(of);
        }
        if let Some(length) = row {
            cut(&mut pieces, length);
        }
        let limits = if cost.has_bins() || cost.value_words() > 20 { roomy(limits) } else { limits };
        Case { limits, tuning, cost, pieces, row, view: None, start, direct, store, output }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn plans_of_anything(case in any_case()) {
        let planner = case.planner();
        match case.plan(&planner) {
            Ok(plan) => check(&case, &planner, &plan),
            // Short bindings hold few partials, and few of them fit the trips of long loops.
            Err(Error::LimitTooSmall { value, needs, .. }) => prop_assert!(needs > value, "{needs}"),
            Err(Error::TooManyTrips { .. } | Error::TooManyPartials { .. }) => prop_assert!(case.cost.combine_trips > 0 || case.tuning.single_workgroup_size == 1),
            Err(error) => prop_assert!(false, "{error}"),
        }
    }
}
