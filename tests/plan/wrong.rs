//! Plans with one number changed: the model notices what it is there for.

use crate::cases::{
    BYTES_MAX, Case, beside, exact_bins, grouped, histogram_bins, joined, limits, one, sliced_bins, small, texels,
};
use crate::checked;
use crate::model::check;
use treefold::internals::{
    Cost, Dim, GroupCost, Kernel, Load, Params, Pass, Piece, Plan, Resource, Store, Strided, Texel, Unit,
};
use treefold::{Order, Tuning};

/// A name, and what it does to a pass.
type Change = (&'static str, fn(&mut Pass));

/// Every change of the pass of this number is noticed.
fn noticed(case: &Case, number: usize, changes: &[Change]) {
    let planner = case.planner();
    let good = checked(case, &planner);
    let missed: Vec<&str> = changes
        .iter()
        .filter(|(_, change)| {
            let mut plan = good.clone();
            change(&mut plan.passes[number]);
            assert_ne!(plan, good, "no change");
            passes(case, &plan)
        })
        .map(|&(name, _)| name)
        .collect();
    assert!(missed.is_empty(), "changes of {missed:?} go unnoticed in {:?}", good.passes[number]);
}

/// Whether a plan passes all checks.
fn passes(case: &Case, plan: &Plan) -> bool {
    std::panic::catch_unwind(|| check(case, &case.planner(), plan)).is_ok()
}

/// Moves the bytes of an input binding.
fn move_input(pass: &mut Pass, slot: u32, from: u64, to: i64) {
    for binding in pass.bindings.iter_mut().filter(|binding| binding.slot == slot) {
        if let Resource::Input { bytes, .. } = &mut binding.resource {
            *bytes = bytes.start + from..bytes.end.saturating_add_signed(to);
        }
    }
}

const READS: &[Change] = &[
    ("first", |pass| pass.params.first += 1),
    ("count", |pass| pass.params.count -= 1),
    ("one more", |pass| pass.params.count += 1),
    ("grid_stride", |pass| pass.params.grid_stride += 1),
    ("total", |pass| pass.params.total[0] += 1),
    ("the upper half of total", |pass| pass.params.total[1] += 1),
    ("rows", |pass| pass.params.rows = 1),
    ("row_partials", |pass| pass.params.row_partials = 1),
    ("trips", |pass| pass.trips = 1),
    ("too many trips", |pass| pass.trips = 16_385),
    ("workgroups", |pass| pass.workgroups += 1),
    ("workgroup_size", |pass| pass.variant.workgroup_size /= 2),
    ("loads", |pass| pass.variant.loads_in_flight += 1),
    ("splits", |pass| pass.params.splits += 1),
    ("the start of its words", |pass| move_input(pass, 1, 256, 0)),
    ("the end of its words", |pass| move_input(pass, 1, 0, -16)),
    ("the end of its vectors", |pass| move_input(pass, 0, 0, -32)),
    ("unaligned vectors", |pass| move_input(pass, 0, 4, 0)),
    ("another buffer", |pass| {
        pass.bindings.iter_mut().for_each(|binding| {
            if let Resource::Input { buffer, .. } = &mut binding.resource {
                *buffer += 1
            }
        })
    }),
    ("no output", |pass| pass.bindings.retain(|binding| binding.slot != 3)),
];

const PARTIALS: &[Change] = &[
    ("partial", |pass| pass.params.partial += 1),
    ("partials", |pass| pass.params.partials += 1),
    ("the store", |pass| pass.variant.store = Store::Sealed),
];

const BASE: &[Change] = &[
    ("base", |pass| pass.params.base[0] += 1),
    ("the upper half of base", |pass| pass.params.base[1] = pass.params.base[1].wrapping_add(1)),
];

const COMBINES: &[Change] = &[
    ("first", |pass| pass.params.first += 1),
    ("count", |pass| pass.params.count -= 1),
    ("one more", |pass| pass.params.count += 1),
    ("partials", |pass| pass.params.partials -= 1),
    ("output", |pass| pass.params.output += 1),
    ("total", |pass| pass.params.total[0] += 1),
    ("trips", |pass| pass.trips = 1),
    ("workgroups", |pass| pass.workgroups += 1),
    ("the store", |pass| pass.variant.store = Store::Partial),
    ("the group", |pass| pass.variant.kernel = Kernel::Combine { group: 7 }),
    ("its partials' place", |pass| {
        if let Resource::Scratch { bytes } = &mut pass.bindings[0].resource {
            *bytes = bytes.start + 256..bytes.end + 256
        }
    }),
    ("its partials' end", |pass| {
        if let Resource::Scratch { bytes } = &mut pass.bindings[0].resource {
            bytes.end -= 4
        }
    }),
];

fn case(tuning: Tuning, cost: Cost, n: u64) -> Case {
    Case { pieces: one(0, 5, n), start: 7, ..Case::new(limits(4096, 256, None, 16384), tuning, cost) }
}

#[test]
fn of_whole_inputs() {
    for order in [Order::Striped, Order::Blocked] {
        let case = case(small().with(|t| t.order = order), Cost::plain(3, true), 3000);
        let last = checked(&case, &case.planner()).passes.len() - 1;
        assert!(last > 2);
        for number in 0..last {
            noticed(&case, number, &[READS, PARTIALS, BASE].concat());
            noticed(&case, number, &[("vectors", |pass| pass.params.vectors /= 2)]);
        }
        noticed(&case, last, COMBINES);
        noticed(&case, last, &[("vectors", |pass| pass.params.vectors /= 2)]);
    }
}

/// Without a full stride there are no vectors to take away, but some to add.
#[test]
fn of_small_inputs() {
    let case = case(small(), Cost::plain(3, true), 70);
    noticed(&case, 0, &[READS, BASE].concat());
    noticed(&case, 0, &[("vectors", |pass| pass.params.vectors += 1), ("output", |pass| pass.params.output += 1)]);
}

#[test]
fn of_zipped_inputs() {
    let mut case = case(small(), grouped(8, vec![exact_bins(20, 1)]), 3000);
    case.limits.binding_bytes_max = 1 << 13;
    let changes: &[Change] = &[
        ("partner", |pass| pass.params.partner = pass.params.partner.wrapping_add(1)),
        ("the start of its partners", |pass| move_input(pass, 0, 256, 0)),
        ("the end of its partners", |pass| move_input(pass, 0, 0, -4)),
        ("other partners", |pass| {
            let unit = pass.variant.load.beside();
            pass.variant.load = Load::Zipped(Unit::ALL[usize::from(unit == Some(Unit::Word))]);
        }),
    ];
    for turn in 0..3 {
        case.pieces = vec![Piece { other: beside(turn, 1, 70, 8), ..Piece::of(0, 5, 3000) }];
        let last = case.plan(&case.planner()).expect("a plan").passes.len() - 1;
        for number in 0..last {
            noticed(&case, number, &[changes, PARTIALS, BASE].concat());
        }
    }
}

#[test]
fn of_textures() {
    let changes: &[Change] = &[
        ("the width", |pass| pass.params.partner += 1),
        ("what is made of texels", |pass| pass.variant.load = Load::Texels(Texel::Number(1))),
        ("texels one by one", |pass| pass.variant.load = Load::OneTexel(Texel::Weighted)),
        ("bytes for texels", |pass| pass.variant.load = Load::Vector),
        ("a weight", |pass| pass.dims[2] += 1),
        ("no weights", |pass| pass.dims.clear()),
        ("another texture", |pass| pass.bindings[0].resource = Resource::Texture { number: 7 }),
        ("a buffer", |pass| pass.bindings[0].resource = Resource::Input { buffer: 3, bytes: 0..4096 }),
    ];
    // Bindings of buffers are none of a texture's.
    let reads: Vec<Change> = READS
        .iter()
        .copied()
        .filter(|(name, _)| !name.contains("its ") && !name.contains("buffer") && !name.contains("unaligned"))
        .collect();
    for size in [(53, 61), (1, 3000), (3000, 1)] {
        let pieces = texels(3, size, Texel::Weighted);
        let case = Case { pieces, ..case(small(), Cost::plain(3, true), 0) };
        noticed(&case, 0, &[changes, &reads, PARTIALS, BASE].concat());
    }
}

#[test]
fn of_rows() {
    let rows = |length: u64, rows: u64, direct: bool| {
        let case = case(small(), Cost::plain(3, true), length * rows);
        Case { row: Some(length), start: 0, direct, limits: limits(BYTES_MAX, 256, None, 16384), ..case }
    };
    let stride: &[Change] =
        &[("stride", |pass| pass.params.stride += 1), ("less stride", |pass| pass.params.stride -= 1)];
    noticed(&rows(21, 9, true), 0, &[READS, stride, &[("output", |pass| pass.params.output += 1)]].concat());
    noticed(&rows(21, 9, false), 0, &[READS, stride, PARTIALS].concat());
    noticed(&rows(300, 2, false), 0, &[READS, stride, PARTIALS].concat());
    for case in [rows(21, 9, false), rows(300, 2, false), rows(400, 3, true)] {
        let last = checked(&case, &case.planner()).passes.len() - 1;
        noticed(&case, last, &[COMBINES, stride].concat());
    }
    // Rows that begin elsewhere may have one vector less than the others.
    noticed(&rows(128, 5, true), 0, &[("vectors", |pass| pass.params.vectors += 1)]);
}

/// Columns in vectors, through partials and not; rows by strides.
#[test]
fn of_views() {
    let dims = |dims: &[(u64, i64)]| dims.iter().map(|&(length, stride)| Dim { length, stride }).collect();
    let view = |kept: &[(u64, i64)], reduced: &[(u64, i64)], elements: u64, direct: bool| {
        let view = Strided { first: 0, kept: dims(kept), reduced: dims(reduced) };
        let limits = limits(BYTES_MAX, 256, None, 16384);
        let pieces = one(0, 8, elements);
        let tuning = small().with(|tuning| tuning.fold.workgroups_max = 16);
        Case { view: Some(view), pieces, direct, limits, ..case(tuning, Cost::plain(3, true), 0) }
    };
    let changes: &[Change] = &[
        ("first", |pass| pass.params.first += 1),
        ("count", |pass| pass.params.count -= 1),
        ("one more", |pass| pass.params.count += 1),
        ("splits", |pass| pass.params.splits += 1),
        ("rows", |pass| pass.params.rows += 1),
        ("one row less", |pass| pass.params.rows -= 1),
        ("total", |pass| pass.params.total[0] += 1),
        ("trips", |pass| pass.trips = 1),
        ("workgroups", |pass| pass.workgroups += 1),
        ("the first stride", |pass| pass.dims[1] += 1),
        ("the last stride", |pass| *pass.dims.last_mut().expect("a stride") += 1),
        ("a dimension more", |pass| pass.dims.push(1)),
        ("base", |pass| pass.params.base[0] += 1),
        ("the end of its words", |pass| move_input(pass, 1, 0, -32)),
    ];
    let columns: &[Change] = &[
        ("vectors", |pass| pass.params.vectors += 1),
        ("grid_stride", |pass| pass.params.grid_stride += 1),
        ("other neighbours", |pass| {
            if let Kernel::Columns { own, .. } = &mut pass.variant.kernel {
                *own = if *own == 1 { 4 } else { 1 };
            }
        }),
        ("lanes", |pass| pass.params.stride *= 2),
    ];
    let row_partials: &[Change] = &[("row_partials", |pass| pass.params.row_partials += 1)];
    let output: &[Change] = &[("output", |pass| pass.params.output += 1)];
    noticed(&view(&[(16, 1)], &[(40, 16)], 640, true), 0, &[changes, columns].concat());
    noticed(&view(&[(8, 1)], &[(900, 8)], 7200, false), 0, &[changes, columns, PARTIALS, row_partials].concat());
    noticed(&view(&[(7, 1)], &[(900, 7)], 6300, false), 0, &[changes, columns, PARTIALS, row_partials].concat());
    let rows = view(&[(5, 400)], &[(20, 15), (3, 1)], 2000, true);
    noticed(&rows, 0, &[changes, output].concat());
    noticed(&Case { direct: false, ..rows }, 0, &[changes, PARTIALS, row_partials].concat());
}

#[test]
fn of_several_groups() {
    let groups = vec![GroupCost::Values { words: 3 }, exact_bins(11, 8), histogram_bins(103, 4)];
    let case = Case { limits: limits(1 << 16, 256, None, 16384), ..case(small(), grouped(4, groups), 3000) };
    let changes: &[Change] = &[
        ("the first region", |pass| pass.regions[0] += 4),
        ("a region", |pass| pass.regions[1] -= 64),
        ("the last region", |pass| pass.regions[2] += 4),
        ("lanes of a sum", |pass| pass.variant.lanes_per_sum = 32),
        ("no table", |pass| pass.bindings.retain(|binding| binding.slot != 4)),
    ];
    let passes_of = checked(&case, &case.planner()).passes.len();
    noticed(&case, 0, &[READS, PARTIALS, changes].concat());
    for number in passes_of - 3..passes_of {
        noticed(&case, number, COMBINES);
    }
    let columns: &[Change] = &[
        ("columns", |pass| pass.variant.columns_here -= 1),
        ("lanes", |pass| pass.variant.lanes_per_sum = 64),
        ("memory", |pass| pass.variant.columns_here = 5000),
    ];
    noticed(&case, passes_of - 2, columns);
    noticed(&case, passes_of - 1, &columns[1..]);
}

/// Counters in slices, in a whole input, in rows and beside values.
#[test]
fn of_slices() {
    let changes: &[Change] = &[
        ("a slice less", |pass| pass.workgroups -= pass.params.splits),
        ("a workgroup for all slices", |pass| pass.workgroups = pass.params.splits),
        ("twice the slices", |pass| pass.workgroups *= 2),
        ("splits of other slices", |pass| pass.params.splits = pass.workgroups),
        ("no table", |pass| pass.bindings.retain(|binding| binding.slot != 4)),
    ];
    let sliced = sliced_bins(103, 16);
    let beside = vec![GroupCost::Values { words: 3 }, sliced.clone(), sliced_bins(41, 20)];
    for groups in [vec![sliced], beside] {
        let whole =
            Case { limits: limits(1 << 16, 256, None, 16384), ..case(small(), grouped(4, groups.clone()), 3000) };
        let rows = Case { row: Some(300), start: 0, pieces: one(0, 5, 600), ..whole.clone() };
        for case in [whole, rows] {
            let passes_of = checked(&case, &case.planner()).passes.len();
            noticed(&case, 0, &[READS, PARTIALS, changes].concat());
            for number in passes_of - groups.len()..passes_of {
                noticed(&case, number, COMBINES);
            }
        }
    }
}

#[test]
fn of_answers_over_several_accumulators() {
    let groups = vec![exact_bins(11, 8), exact_bins(20, 8)];
    let store = Store::Answer { counted: true };
    let whole = |n| {
        let limits = limits(1 << 16, 256, None, 16384);
        Case { limits, store, ..case(small(), joined(grouped(4, groups.clone())), n) }
    };
    let rows = |length: u64, rows: u64| Case { row: Some(length), start: 0, ..whole(length * rows) };
    let changes: &[Change] = &[
        ("rows", |pass| pass.params.count += 1),
        ("one row less", |pass| pass.params.count -= 1),
        ("output", |pass| pass.params.output += 1),
        ("total", |pass| pass.params.total[0] += 1),
        ("trips", |pass| pass.trips += 1),
        ("workgroups", |pass| pass.workgroups += 1),
        ("the store", |pass| pass.variant.store = Store::Answer { counted: false }),
        ("its accumulators' end", |pass| {
            if let Resource::Accumulators { bytes } = &mut pass.bindings[0].resource {
                bytes.end -= 4
            }
        }),
    ];
    for case in [whole(3000), whole(70), rows(21, 9), rows(3000, 3)] {
        let last = checked(&case, &case.planner()).passes.len() - 1;
        noticed(&case, last, changes);
        let accumulators = |pass: &mut Pass| {
            if let Some(binding) = pass.bindings.iter_mut().find(|binding| binding.slot == 3) {
                binding.resource = Resource::Output;
            }
        };
        noticed(
            &case,
            last - 1,
            &[("output", |pass| pass.params.output += 1), ("its accumulators' place", accumulators)],
        );
    }
}

/// A pass too few, too many, and in another order.
#[test]
fn of_whole_passes() {
    let case = case(small(), Cost::plain(3, false), 3000);
    let good = checked(&case, &case.planner());
    let last = good.passes.len() - 1;
    for number in 0..=last {
        let mut plan = good.clone();
        plan.passes.remove(number);
        assert!(!passes(&case, &plan), "pass {number} is missing");
        let mut plan = good.clone();
        plan.passes.insert(number, good.passes[number].clone());
        assert!(!passes(&case, &plan), "pass {number} runs twice");
    }
    let mut plan = good.clone();
    plan.passes.swap(last - 1, last);
    assert!(!passes(&case, &plan), "partials are combined before they are there");
    let places: Vec<u32> = good.passes.iter().map(|pass| pass.params.partial).collect();
    let mut plan = good.clone();
    (plan.passes[0].params.partial, plan.passes[1].params.partial) = (places[1], places[0]);
    assert!(!passes(&case, &plan), "partials lie in another order");
    for scratch_bytes in [0, good.scratch_bytes - 4] {
        assert!(!passes(&case, &Plan { scratch_bytes, ..good.clone() }), "{scratch_bytes} bytes of scratch");
    }
    assert!(!passes(&case, &Plan { elements: 2999, ..good.clone() }));
    assert!(!passes(&case, &Plan { rows: 2, ..good }));
}

/// The size of `Params`: 16 words, all of them looked at above, and the seal's vector.
#[test]
fn parameters_are_twenty_words() {
    assert_eq!(size_of::<Params>(), 80);
}
