//! Plans against a model that reads what `reduce.wgsl` reads: every element once, within every limit. No GPU.

mod common;

use proptest::prelude::*;
use std::time::{Duration, Instant};
use treefold::plan::{Facts, Gathered, Params, Pass, Piece, Plan, Planner, Shape, Source, TRIPS_MAX, Target};
use treefold::shader::{Finish, Kernel, ROWS};
use treefold::{Error, Layout, Tuning};

/// All that a plan is made from.
#[derive(Clone, Debug)]
struct Case {
    facts: Facts,
    tuning: Tuning,
    shape: Shape,
    pieces: Vec<Piece>,
    start: u64,
    direct: bool,
}

const BYTES_MAX: u64 = (1 << 31) - 256;

fn facts(binding_bytes_max: u64, storage_alignment: u64, lanes: Option<(u32, u32)>, workgroup_bytes_max: u64) -> Facts {
    Facts {
        binding_bytes_max,
        storage_alignment,
        uniform_alignment: 256,
        invocations_max: 1024,
        workgroups_max: 65535,
        workgroup_bytes_max,
        lanes,
    }
}

fn some_facts() -> Vec<Facts> {
    vec![
        facts(512, 16, None, 16384),
        facts(512, 256, Some((32, 32)), 1024),
        facts(4096, 32, Some((8, 32)), 16384),
        facts(4096, 256, None, 1024),
        Facts { workgroups_max: 2, invocations_max: 16, ..facts(1024, 32, Some((4, 4)), 1024) },
        facts(BYTES_MAX, 256, Some((8, 8)), 16384),
        facts(BYTES_MAX, 16, Some((4, 128)), 16384),
        facts(BYTES_MAX, 32, Some((32, 32)), 16384),
    ]
}

fn some_tunings() -> Vec<Tuning> {
    let small = common::SMALL;
    vec![
        small,
        Tuning { layout: Layout::Blocked, subgroups: false, ..small },
        Tuning { workgroup_size: 4, single_workgroup_size: 8, loads_in_flight: 4, layout: Layout::Blocked, ..small },
        Tuning {
            workgroup_size: 1,
            single_workgroup_size: 1,
            workgroups_max: 5,
            loads_in_flight: 1,
            single_elements_max: 0,
            ..small
        },
        Tuning { dispatch_bytes_max: 1024, single_elements_max: u64::MAX, ..small },
        Tuning {
            workgroup_size: 16,
            single_workgroup_size: 16,
            workgroups_max: 2,
            loads_in_flight: 16,
            dispatch_bytes_max: 4100,
            ..small
        },
    ]
}

fn some_shapes() -> [Shape; 4] {
    [(4, true), (12, false), (24, true), (56, true)]
        .map(|(acc_bytes, commutative)| Shape::plain(acc_bytes, commutative))
}

/// An exact operator: bytes of an element, limbs, and bins in copies where a workgroup shares them. f32's bins end at limb 8.
fn exact(element_bytes: u64, limbs: u64, bins: Option<(u64, u32)>) -> Shape {
    let columns = if limbs == 11 { 8 } else { limbs };
    let sums = bins.map_or(0, |(bins, _)| (bins / 2).max(2 * columns));
    Shape {
        element_bytes,
        counters: bins.map_or(0, |(bins, copies)| bins * u64::from(copies) + sums + 2 * columns),
        gathered: bins.map(|(_, copies)| Gathered { columns, sums, copies }),
        combine_trips: limbs,
        trips: 6 * limbs + 160,
        ..Shape::plain(4 * (limbs + 1), true)
    }
}

/// Elements of 2, 4 and 8 bytes, with bins and without.
fn exact_shapes() -> [Shape; 8] {
    [
        exact(2, 4, None),
        exact(4, 11, None),
        exact(4, 11, Some((64, 8))),
        exact(4, 20, Some((40, 32))),
        exact(8, 20, None),
        exact(8, 20, Some((40, 1))),
        exact(8, 68, None),
        exact(8, 68, Some((136, 8))),
    ]
}

/// Facts that have room for the bins and the partials of exact operators.
fn roomy(facts: Facts) -> Facts {
    Facts {
        workgroup_bytes_max: facts.workgroup_bytes_max.max(16384),
        binding_bytes_max: facts.binding_bytes_max.max(1 << 13),
        ..facts
    }
}

/// The pieces' elements as one array: where each piece begins in it.
fn starts(pieces: &[Piece]) -> Vec<u64> {
    let lengths = pieces.iter().map(|piece| piece.elements);
    lengths.scan(0, |before, n| Some(std::mem::replace(before, *before + n))).collect()
}

/// 64 bits from two words.
fn wide(words: [u32; 2]) -> u64 {
    u64::from(words[0]) | u64::from(words[1]) << 32
}

/// Quads `low..high` lie wholly inside, as reduce.wgsl has them.
fn quads(p: &Params, quad: u64) -> (u64, u64) {
    let (first, end) = (u64::from(p.first), u64::from(p.first) + u64::from(p.count));
    assert!(end + quad <= u64::from(u32::MAX), "ends beyond u32");
    (first.div_ceil(quad).min(end / quad), end / quad)
}

/// Elements of 16 bytes.
fn quad(shape: &Shape) -> u64 {
    16 / shape.element_bytes
}

/// Bytes from one element of a piece to the next: zipped inputs are arrays of words.
fn stride(shape: &Shape, piece: &Piece) -> u64 {
    if piece.other.is_some() { 4 } else { shape.element_bytes }
}

/// Trips of the loops around the main loop: clearing and adding up bins, finish_*.wgsl, and the words of an answer.
fn last_trips(finish: Finish, size: u32, facts: &Facts, shape: &Shape) -> u64 {
    let log2 = |n: u32| u64::from(n.next_power_of_two().trailing_zeros());
    const ANSWER_WORDS: u64 = 18;
    // Operators of limbs loop over them: in combine, in shuffle, and when they carry, round and look for the highest bit.
    let limbs = if shape.trips > 0 { shape.acc_bytes / 4 - 1 } else { 0 };
    let rounding = if shape.trips > 0 { 4 * limbs + 128 } else { 0 };
    let steps = match (finish, facts.lanes) {
        (Finish::Gathered { lanes_min }, lanes) => {
            let Gathered { columns, sums, copies } = shape.gathered.expect("bins");
            let bytes = columns < limbs;
            let pairs = if bytes { 4 * columns } else { columns };
            let each = |n: u64| n.div_ceil(size.into());
            let meeting = |seats: u32| {
                let shares = each(sums * u64::from(seats)) * (1 + u64::from(copies.div_ceil(seats)));
                let halves =
                    std::iter::successors(Some(seats / 2), |&half| Some(half / 2)).take_while(|&half| half > 0);
                match lanes_min {
                    // A butterfly of each sum, or a tree of all.
                    Some(_) => shares + each(sums * u64::from(seats)) * u64::from(seats.ilog2()),
                    None => shares + halves.map(|half| 1 + each(sums * u64::from(half))).sum::<u64>() + each(sums),
                }
            };
            if lanes_min.is_some() {
                let (least, most) = lanes.expect("subgroups");
                assert_eq!(lanes_min, Some(least));
                assert!(size.is_multiple_of(most), "subgroups of {most} lanes in a workgroup of {size} are not full");
            }
            let meeting = meeting(seats(finish, 8, copies, size)).max(meeting(seats(finish, 32, copies, size)));
            // exact_columns_bytes.wgsl loops over four bytes of a limb.
            let column = if bytes { 4 } else { 1 };
            // Clear, meet, leave.
            each(2 * pairs * u64::from(copies)) + meeting + column * each(columns)
        }
        (Finish::Tree, _) => log2(size) * (1 + limbs),
        (Finish::Subgroups { lanes_min }, Some((least, most))) => {
            assert_eq!(lanes_min, least);
            assert!(
                lanes_min >= 4 && size.is_multiple_of(most),
                "subgroups of {most} lanes in a workgroup of {size} are not full"
            );
            let sizes = std::iter::successors(Some(least), |&lanes| Some(lanes * 2)).take_while(|&lanes| lanes <= most);
            let trips = sizes.map(|lanes| {
                2 * log2(lanes) * (1 + 2 * limbs) + u64::from((size / lanes).div_ceil(lanes)) * (1 + limbs)
            });
            trips.max().unwrap_or(0)
        }
        (Finish::Subgroups { .. }, None) => panic!("subgroups where there are none"),
    };
    steps + rounding + ANSWER_WORDS
}

/// Whatever the number of elements: windows, launch shapes, slots, and passes that follow each other without a gap.
fn check_arithmetic(case: &Case, planner: &Planner, plan: &Plan) {
    let Case { facts, tuning, shape, pieces, start, direct } = case;
    let begins = starts(pieces);
    let elements: u64 = pieces.iter().map(|piece| piece.elements).sum();
    assert_eq!(plan.elements, elements);
    assert!(!plan.passes.is_empty());
    let last = plan.passes.len() - 1;
    let (mut read, mut slots, mut piece) = (0, 0, 0);

    for (number, pass) in plan.passes.iter().enumerate() {
        let p = &pass.params;
        assert_eq!(pass.target, if number == last { Target::Result } else { Target::Partials }, "{pass:?}");
        assert!((1..=facts.workgroups_max.min(tuning.workgroups_max)).contains(&pass.workgroups), "{pass:?}");
        assert!(pass.workgroup_size.is_power_of_two() && pass.workgroup_size <= facts.invocations_max, "{pass:?}");
        assert!(pass.workgroup_size <= tuning.workgroup_size.max(tuning.single_workgroup_size), "{pass:?}");
        let variant = planner.variant(pass.kernel, pass.workgroup_size);
        // exact_shared.wgsl: bins, their sums, a column of 16 bytes for each limb that they reach, a word of flags.
        let own = if shape.counters > 0 { shape.counters * 8 + 4 } else { 0 };
        assert!(variant.workgroup_bytes(shape.acc_bytes) + own <= facts.workgroup_bytes_max, "{pass:?}");
        assert_eq!(matches!(variant.finish, Finish::Gathered { .. }), shape.gathered.is_some(), "{pass:?}");
        if matches!(variant.finish, Finish::Subgroups { .. }) {
            assert!(shape.commutative && tuning.subgroups, "{pass:?}");
        }
        assert_eq!(wide(p.total), elements, "{pass:?}");
        assert!(
            u64::from(p.count) * shape.element_bytes <= tuning.dispatch_bytes_max || pass.kernel == Kernel::Combine,
            "{pass:?}"
        );
        if pass.kernel == Kernel::Combine {
            assert_eq!((number, pass.source, pass.workgroups), (last, Source::Partials, 1), "{pass:?}");
            assert_eq!((p.first, u64::from(p.count)), (0, slots), "{pass:?}");
            continue;
        }
        assert!(pass.trips <= TRIPS_MAX, "{pass:?}");
        match pass.source {
            Source::Partials => panic!("partials are no elements"),
            Source::Nothing => assert_eq!((elements, p.count, plan.passes.len()), (0, 0, 1)),
            Source::Window { buffer, offset_bytes, size_bytes, other } => {
                while read >= begins[piece] + pieces[piece].elements {
                    piece += 1;
                }
                let here = &pieces[piece];
                assert!(pass.target == Target::Partials || *direct, "reads and writes, but must not");
                // Where it begins, told twice: by the window and by `base`.
                let begin = here.first + (read - begins[piece]);
                assert_eq!(wide(p.base).wrapping_add(p.first.into()), start.wrapping_add(read), "{pass:?}");
                assert!(0 < p.count, "{pass:?}");
                let bytes = stride(shape, here);
                let within = |first: u64, at: u64, begin: u64, offset: u64, size: u64| {
                    assert_eq!((offset % facts.storage_alignment, size % 4), (0, 0), "{pass:?}");
                    assert!(0 < size && size <= facts.binding_bytes_max, "{pass:?}");
                    let least = first * bytes / facts.storage_alignment * facts.storage_alignment;
                    let end = ((first + here.elements) * bytes).next_multiple_of(4);
                    assert!(least <= offset && offset + size <= end, "{pass:?}");
                    assert_eq!(offset + at * bytes, begin * bytes, "{pass:?}");
                    assert!((at + u64::from(p.count)) * bytes <= size, "{pass:?}");
                };
                assert_eq!(here.buffer, buffer, "{pass:?}");
                within(here.first, p.first.into(), begin, offset_bytes, size_bytes);
                match (here.other, other) {
                    (None, None) => assert_eq!(p.shift, 0, "{pass:?}"),
                    (Some((buffer, first)), Some((found, offset, size))) => {
                        assert_eq!(buffer, found, "{pass:?}");
                        let at = p.first.wrapping_add(p.shift).into();
                        within(first, at, first + (read - begins[piece]), offset, size);
                    }
                    _ => panic!("half of a zipped input: {pass:?}"),
                }
                read += u64::from(p.count);
            }
        }
        if pass.target == Target::Partials {
            assert_eq!(u64::from(p.slot), slots, "slots are not contiguous: {pass:?}");
            slots += u64::from(pass.workgroups);
        } else {
            assert_eq!((pass.workgroups, p.slot), (1, 0), "{pass:?}");
        }
        // The quads of all invocations: within u32, all of them covered, none twice.
        let (low, high) = quads(p, quad(shape));
        let size = u64::from(pass.workgroup_size);
        let (groups, loads) = (u64::from(pass.workgroups), u64::from(planner.tuning().loads_in_flight));
        let (run, round) = (u64::from(p.run), groups * size * loads);
        assert_eq!(u64::from(p.round), round, "{pass:?}");
        let rounds = match planner.tuning().layout {
            Layout::Blocked => {
                assert!(run.is_multiple_of(loads), "{pass:?}");
                run / loads
            }
            Layout::Strided => {
                assert!(run * round <= high - low, "{pass:?}");
                run + u64::from(run * round < high - low)
            }
        };
        let covered = rounds * round;
        assert!(covered >= high - low, "{pass:?}");
        let reach = low + covered + groups * size * loads;
        assert!(reach * quad(shape) <= u64::from(u32::MAX), "index arithmetic leaves u32: {pass:?}");
        let ends = 2 * (quad(shape) - 1);
        let busiest = ends + rounds + last_trips(variant.finish, pass.workgroup_size, facts, shape);
        assert!(busiest <= pass.trips, "{busiest} trips: {pass:?}");
    }
    assert_eq!(read, elements);
    assert_eq!(
        (plan.partials, plan.scratch_bytes),
        (slots, slots * shape.gathered.map_or(shape.acc_bytes, |gathered| 16 * gathered.columns))
    );
    assert_eq!(slots > 0, plan.passes[last].kernel == Kernel::Combine);
}

/// What the combine pass asks of the device.
fn check_combine(case: &Case, plan: &Plan) {
    let bound = plan.scratch_bytes <= case.facts.binding_bytes_max;
    assert!(bound, "{} bytes of partials in a binding of {}", plan.scratch_bytes, case.facts.binding_bytes_max);
    for pass in &plan.passes {
        assert!(pass.trips <= TRIPS_MAX, "{pass:?}");
    }
}

/// Runs `reduce.wgsl` on indices: `visit` gets runs of neighbouring elements, invocation by invocation.
fn run_reduce(p: &Params, size: u64, tuning: &Tuning, quad: u64, mut visit: impl FnMut(u64, u64)) -> u64 {
    let (first, end) = (u64::from(p.first), u64::from(p.first) + u64::from(p.count));
    let (low, high) = quads(p, quad);
    let (layout, loads) = (tuning.layout, u64::from(tuning.loads_in_flight));
    let mut busiest = 0;
    for i in 0..u64::from(p.round) / loads {
        let mut trips = 0;
        if i == 0 && first < end.min(low * quad) {
            visit(first, end.min(low * quad) - first);
            trips += end.min(low * quad) - first;
        }
        let (group, local) = (i / size, i % size);
        let (run, round) = (u64::from(p.run), u64::from(p.round));
        let (mut q, mut left, step) = match layout {
            Layout::Blocked => {
                let q = low + i * run;
                (q, if q < high { run.min(high - q) } else { 0 }, 1)
            }
            Layout::Strided => {
                let q = low + group * size * loads + local;
                let last = q + run * round;
                (q, run * loads + if last < high { ((high - last - 1) / size + 1).min(loads) } else { 0 }, size)
            }
        };
        while left > 0 {
            for k in 0..left.min(loads) {
                visit((q + k * step) * quad, quad);
            }
            q += if layout == Layout::Blocked { loads } else { round };
            left = left.saturating_sub(loads);
            trips += 1;
        }
        let tail = first.max(high * quad);
        if (i + 1) * loads == u64::from(p.round) && tail < end {
            visit(tail, end - tail);
            trips += end - tail;
        }
        busiest = busiest.max(trips);
    }
    busiest
}

/// Every element of every piece is read once; in order where layouts are blocked.
fn check_elements(case: &Case, planner: &Planner, plan: &Plan) {
    let Case { facts, tuning, shape, pieces, start, .. } = case;
    let begins = starts(pieces);
    let blocked = tuning.layout == Layout::Blocked || !shape.commutative;
    let mut seen = vec![false; plan.elements as usize];
    let mut next = 0;
    for pass in plan.passes.iter().filter(|pass| pass.kernel == Kernel::Reduce) {
        let Source::Window { buffer, offset_bytes, size_bytes, other } = pass.source else { continue };
        let base = wide(pass.params.base);
        let place = |index: u64| base.wrapping_add(index).wrapping_sub(*start);
        let begin = place(pass.params.first.into());
        let piece = begins.partition_point(|&at| at <= begin) - 1;
        let (here, at) = (pieces[piece], begins[piece]);
        let (quad, bytes) = (quad(shape), stride(shape, &here));
        let quads_bound = if size_bytes < 16 { 0 } else { size_bytes / 16 };
        let trips = run_reduce(&pass.params, pass.workgroup_size.into(), planner.tuning(), quad, |index, n| {
            // Quads are loads of 16 bytes, but of zipped inputs.
            let whole = index % quad == 0 && n == quad && here.other.is_none();
            assert!(
                ((index + n) * bytes).next_multiple_of(4) <= size_bytes && (!whole || index / quad < quads_bound),
                "beyond the window: {pass:?}"
            );
            let place = place(index);
            assert!(at <= place && place + n <= at + here.elements, "not of this piece: {pass:?}");
            assert_eq!(buffer, here.buffer, "another buffer: {pass:?}");
            assert_eq!(offset_bytes + index * bytes, (here.first + (place - at)) * bytes, "another element: {pass:?}");
            if let (Some((_, first)), Some((_, offset, size))) = (here.other, other) {
                let partner = u64::from((index as u32).wrapping_add(pass.params.shift));
                assert_eq!(offset + partner * 4, (first + (place - at)) * 4, "another partner: {pass:?}");
                assert!((partner + n) * 4 <= size, "a partner beyond the window: {pass:?}");
            }
            assert!(!blocked || place == next, "read {place} instead of {next}: {pass:?}");
            next = place + n;
            for seen in &mut seen[place as usize..(place + n) as usize] {
                assert!(!*seen, "twice: {place}: {pass:?}");
                *seen = true;
            }
        });
        let all = trips + last_trips(planner.finish(pass.workgroup_size), pass.workgroup_size, facts, shape);
        assert!(all <= pass.trips, "{all} trips: {pass:?}");
    }
    assert!(seen.iter().all(|&seen| seen), "an element is not read");
}

/// Invocations that share a sum, as exact_meet_*.wgsl say.
fn seats(finish: Finish, most: u32, copies: u32, size: u32) -> u32 {
    match finish {
        Finish::Gathered { lanes_min: Some(lanes_min) } => most.min(lanes_min),
        _ => most.min(copies).min(size),
    }
}

/// Runs `combine_bins.wgsl` on slots: each once in every column.
fn check_columns(case: &Case, planner: &Planner, plan: &Plan, pass: &Pass, gathered: Gathered) {
    let finish = planner.finish(pass.workgroup_size);
    let seats = u64::from(seats(finish, 32, gathered.copies, pass.workgroup_size));
    let mut seen = vec![false; (gathered.columns * plan.partials) as usize];
    let mut busiest = 0;
    for place in 0..u64::from(pass.workgroup_size) {
        let mut trips = 0;
        for j in (place / seats..gathered.columns).step_by((u64::from(pass.workgroup_size) / seats) as usize) {
            trips += 1;
            for p in (place % seats..plan.partials).step_by((u64::from(ROWS) * seats) as usize) {
                trips += 1;
                for slot in (p..plan.partials).step_by(seats as usize).take(ROWS as usize) {
                    let at = (j * plan.partials + slot) as usize;
                    assert!(!std::mem::replace(&mut seen[at], true), "twice: {slot}: {pass:?}");
                }
            }
        }
        busiest = busiest.max(trips);
    }
    assert!(seen.iter().all(|&seen| seen), "a column is not read: {pass:?}");
    let all = busiest + last_trips(finish, pass.workgroup_size, &case.facts, &case.shape);
    assert!(all <= pass.trips, "{all} trips: {pass:?}");
}

/// Runs `combine.wgsl` on slots: each once, in order.
fn check_partials(case: &Case, planner: &Planner, plan: &Plan) {
    let Some(pass) = plan.passes.last().filter(|pass| pass.kernel == Kernel::Combine) else { return };
    if let Some(gathered) = case.shape.gathered {
        return check_columns(case, planner, plan, pass, gathered);
    }
    let p = &pass.params;
    let (end, run) = (u64::from(p.first) + u64::from(p.count), u64::from(p.run));
    let (mut next, mut busiest) = (0, 0);
    for local in 0..u64::from(pass.workgroup_size) {
        assert!(local * run <= u64::from(u32::MAX));
        let low = end.min(u64::from(p.first) + local * run);
        let high = end.min(low + run);
        busiest = busiest.max(high - low);
        if low < high {
            assert_eq!(low, next, "{pass:?}");
            next = high;
        }
    }
    assert_eq!(next, plan.partials, "{pass:?}");
    let shape = &case.shape;
    // Each partial is combined limb by limb.
    let each = if shape.trips > 0 { 1 + shape.combine_trips } else { 1 };
    let all = busiest * each + last_trips(planner.finish(pass.workgroup_size), pass.workgroup_size, &case.facts, shape);
    assert!(all <= pass.trips, "{all} trips: {pass:?}");
}

fn planner(case: &Case) -> Planner {
    Planner::new(case.facts, case.tuning, case.shape).unwrap_or_else(|error| panic!("{error}: {case:?}"))
}

/// Every check; `elements` one by one only where there are not too many.
fn check(case: &Case, planner: &Planner) -> Plan {
    let plan = planner.plan(&case.pieces, case.start, case.direct);
    check_arithmetic(case, planner, &plan);
    check_partials(case, planner, &plan);
    if plan.elements <= 1 << 24 {
        check_elements(case, planner, &plan);
    }
    plan
}

fn one(buffer: usize, first: u64, elements: u64) -> Vec<Piece> {
    vec![Piece::of(buffer, first, elements)]
}

#[test]
fn every_short_length_and_offset() {
    for facts in some_facts() {
        for tuning in some_tunings() {
            for shape in some_shapes() {
                let mut case = Case { facts, tuning, shape, pieces: one(0, 0, 0), start: 0, direct: true };
                let planner = planner(&case);
                for n in 0..=300 {
                    // All ten offsets, spread over neighbouring lengths.
                    for first in [n % 10, (n + 3) % 10, (n + 7) % 10] {
                        case.pieces[0] = Piece::of(0, first, n);
                        case.direct = (n + first) % 3 > 0;
                        case.start = if n % 2 == 0 { 0 } else { (1 << 32) - 5 + first };
                        check(&case, &planner);
                    }
                }
            }
        }
    }
}

/// The same for elements of 2, 4 and 8 bytes, and for pairs of inputs at all distances.
#[test]
fn every_short_length_and_offset_of_exact_operators() {
    for facts in some_facts() {
        for tuning in some_tunings() {
            for shape in exact_shapes() {
                let facts = roomy(facts);
                let mut case = Case { facts, tuning, shape, pieces: one(0, 0, 0), start: 0, direct: true };
                let planner = planner(&case);
                for n in 0..=150 {
                    for first in [n % 10, (n + 7) % 10] {
                        case.pieces[0] = Piece::of(0, first, n);
                        case.direct = (n + first) % 3 > 0;
                        check(&case, &planner);
                        if shape.element_bytes == 8 {
                            // Both in one buffer, or the second in another, up to two alignments away.
                            case.pieces[0].other = Some(((n % 2) as usize, (first * 13 + n) % 131));
                            check(&case, &planner);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn long_inputs_of_exact_operators() {
    for (tuning, lanes) in
        [(Tuning::GPU, Some((32, 32))), (Tuning::NVIDIA, Some((32, 32))), (Tuning::CPU, Some((8, 8)))]
    {
        for shape in exact_shapes() {
            for n in [1u64, 1 << 14, 1_000_003, (1 << 24) + 5, (1 << 34) + 1] {
                for other in [None, Some((1, n % 77))] {
                    if other.is_some() && shape.element_bytes != 8 {
                        continue;
                    }
                    let pieces = vec![Piece { buffer: 0, first: n % 7, elements: n, other }];
                    let facts = facts(1 << 27, 256, lanes, 16384);
                    let case = Case { facts, tuning, shape, pieces, start: 0, direct: true };
                    let plan = check(&case, &planner(&case));
                    check_combine(&case, &plan);
                }
            }
        }
    }
}

#[test]
fn boundaries_of_subgroups_workgroups_grids_and_bindings() {
    for (number, facts) in some_facts().into_iter().enumerate() {
        for tuning in some_tunings() {
            let shape = some_shapes()[number % 4];
            let mut case = Case { facts, tuning, shape, pieces: one(0, 0, 0), start: 0, direct: true };
            let planner = planner(&case);
            let fitted = planner.tuning();
            let tile = u64::from(fitted.workgroup_size * fitted.loads_in_flight) * 4;
            let grid = tile * u64::from(fitted.workgroups_max);
            let (binding, dispatch) =
                (facts.binding_bytes_max.min(1 << 14) / 4, tuning.dispatch_bytes_max.min(1 << 16) / 4);
            let lanes = facts.lanes.map_or(4, |lanes| u64::from(lanes.1));
            let single = tuning.single_elements_max.min(1 << 16);
            for edge in [
                lanes,
                lanes * 4,
                fitted.workgroup_size.into(),
                tile,
                2 * tile,
                single,
                grid,
                3 * grid,
                binding,
                3 * binding,
                dispatch,
            ] {
                for n in edge.saturating_sub(1)..=edge + 1 {
                    for first in 0..10 {
                        case.pieces[0] = Piece::of(2, first + (edge % 3) * 64, n);
                        check(&case, &planner);
                    }
                }
            }
        }
    }
}

#[test]
fn real_launch_shapes() {
    for (tuning, lanes) in
        [(Tuning::GPU, Some((32, 32))), (Tuning::NVIDIA, Some((32, 32))), (Tuning::CPU, Some((8, 8)))]
    {
        for shape in some_shapes() {
            for facts in
                [facts(1 << 27, 256, lanes, 16384), facts(BYTES_MAX, 16, None, 16384), facts(1 << 16, 32, lanes, 1024)]
            {
                let grid = u64::from(tuning.workgroup_size * tuning.loads_in_flight * 4 * tuning.workgroups_max);
                for n in [1, tuning.single_elements_max, tuning.single_elements_max + 1, grid - 1, grid + 1, 1_000_003]
                {
                    let case = Case { facts, tuning, shape, pieces: one(0, n % 7, n), start: 0, direct: true };
                    let plan = check(&case, &planner(&case));
                    if facts.binding_bytes_max > 1 << 16 {
                        check_combine(&case, &plan);
                    }
                    let small = n <= tuning.single_elements_max;
                    assert_eq!(plan.passes.len() == 1, small && facts.binding_bytes_max > (n + 7) * 4, "{case:?}");
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
    for facts in some_facts() {
        for tuning in some_tunings() {
            for shape in some_shapes() {
                for pieces in &lists {
                    for direct in [true, false] {
                        // Places that wrap around u32 and u64 on the way.
                        for start in [0, (1 << 32) - 100, u64::MAX - 200] {
                            let case = Case { facts, tuning, shape, pieces: pieces.clone(), start, direct };
                            check(&case, &planner(&case));
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
        let case = Case {
            facts: some_facts()[7],
            tuning: some_tunings()[0],
            shape: some_shapes()[0],
            pieces: one(0, 3, n),
            start: 0,
            direct: false,
        };
        let plan = check(&case, &planner(&case));
        assert!(plan.passes.len() > 1);
        let plan = check(&Case { direct: true, ..case.clone() }, &planner(&case));
        assert_eq!(plan.passes.len() == 1, n <= 100);
    }
}

fn huge(n: u64, tuning: Tuning, binding: u64) -> (Case, Plan) {
    // As buffers come: 4 GiB each at most.
    let each = 1 << 30;
    let pieces = (0..n.div_ceil(each)).map(|k| Piece::of(k as usize, k % 5, each.min(n - k * each)));
    let shape = Shape::plain(16, true);
    let case = Case {
        facts: facts(binding, 256, Some((32, 32)), 16384),
        tuning,
        shape,
        pieces: pieces.collect(),
        start: 0,
        direct: true,
    };
    let start = Instant::now();
    let plan = check(&case, &planner(&case));
    let took = start.elapsed();
    assert!(took < Duration::from_secs(10), "{took:?} for {n} elements, {} passes", plan.passes.len());
    (case, plan)
}

#[test]
fn huge_inputs_are_planned_fast_and_within_limits() {
    for n in [1 << 31, (1 << 33) + 1, (1 << 40) - 3] {
        for tuning in [Tuning::GPU, Tuning::NVIDIA] {
            let (case, plan) = huge(n, tuning, BYTES_MAX);
            check_combine(&case, &plan);
        }
    }
    for n in [1 << 31, (1 << 33) + 1] {
        let (case, plan) = huge(n, Tuning::CPU, 1 << 27);
        check_combine(&case, &plan);
        let (case, plan) = huge(n, Tuning::GPU, 1 << 27);
        check_combine(&case, &plan);
        // One dispatch, one invocation each, in order.
        huge(n, Tuning { workgroup_size: 1, single_workgroup_size: 1, workgroups_max: 1, ..Tuning::GPU }, 1 << 27);
    }
}

/// Trips and bytes of the combine pass grow with the number of dispatches.
#[test]
fn combine_passes_of_huge_inputs_keep_the_limits() {
    for (n, tuning, binding) in [
        (1 << 40, Tuning::CPU, BYTES_MAX),
        (1 << 40, Tuning::GPU, 1 << 27),
        (1 << 31, Tuning { single_workgroup_size: 1, dispatch_bytes_max: 1 << 20, ..Tuning::GPU }, 1 << 27),
    ] {
        let (case, plan) = huge(n, tuning, binding);
        check_combine(&case, &plan);
    }
}

/// The same of short bindings, as long as one partial of each window finds room.
#[test]
fn partials_of_short_bindings_keep_the_limits() {
    for tuning in some_tunings() {
        let facts = facts(4096, 256, None, 16384);
        let shape = Shape::plain(56, true);
        let case = Case {
            facts,
            tuning: Tuning { dispatch_bytes_max: 1 << 30, ..tuning },
            shape,
            pieces: one(0, 3, 60_000),
            start: 0,
            direct: true,
        };
        let plan = check(&case, &planner(&case));
        check_combine(&case, &plan);
    }
}

#[test]
fn tunings_that_no_plan_can_keep() {
    let (facts, shape) = (some_facts()[0], some_shapes()[0]);
    let good = Tuning::GPU;
    let mut bad = Vec::new();
    for n in [0, 3, 48, u32::MAX] {
        bad.push(("workgroup_size", u64::from(n), Tuning { workgroup_size: n, ..good }));
        bad.push(("single_workgroup_size", u64::from(n), Tuning { single_workgroup_size: n, ..good }));
    }
    for n in [0, 65536, u32::MAX] {
        bad.push(("workgroups_max", u64::from(n), Tuning { workgroups_max: n, ..good }));
    }
    for n in [0, 17, u32::MAX] {
        bad.push(("loads_in_flight", u64::from(n), Tuning { loads_in_flight: n, ..good }));
    }
    for n in [0, 4, 1023] {
        bad.push(("dispatch_bytes_max", n, Tuning { dispatch_bytes_max: n, ..good }));
    }
    for (name, number, tuning) in bad {
        let error = Planner::new(facts, tuning, shape).expect_err(name);
        let Error::BadTuning { what, value, rule } = &error else { panic!("{error:?}") };
        assert_eq!((*what, *value), (name, number));
        let message = error.to_string();
        assert!([name, rule, &number.to_string()].iter().all(|word| message.contains(word)), "{message}");
    }
    // The ends of what is allowed.
    for tuning in [
        Tuning {
            workgroups_max: 65535,
            loads_in_flight: 16,
            dispatch_bytes_max: u64::MAX,
            single_elements_max: u64::MAX,
            ..good
        },
        Tuning {
            workgroup_size: 1,
            single_workgroup_size: 1,
            workgroups_max: 1,
            loads_in_flight: 1,
            dispatch_bytes_max: 1024,
            ..good
        },
    ] {
        let case = Case { facts, tuning, shape, pieces: one(0, 1, 5000), start: 0, direct: true };
        check(&case, &planner(&case));
    }
}

#[test]
fn accumulators_that_no_workgroup_can_hold() {
    let facts = facts(4096, 256, None, 256);
    let shape = |acc_bytes| Shape::plain(acc_bytes, true);
    let error = Planner::new(facts, Tuning::GPU, shape(260)).expect_err("too large");
    assert!(matches!(
        error,
        Error::LimitTooSmall { limit: "max_compute_workgroup_storage_size", value: 256, needs: 260 }
    ));
    assert!(["256", "260", "adapter.limits()"].iter().all(|word| error.to_string().contains(word)), "{error}");
    let planner = Planner::new(facts, Tuning::GPU, shape(256)).expect("one invocation");
    assert_eq!((planner.tuning().workgroup_size, planner.tuning().single_workgroup_size), (1, 1));
}

#[test]
fn workgroups_shrink_until_they_fit() {
    let planned = |facts, acc_bytes, commutative| {
        let planner =
            Planner::new(facts, Tuning { workgroup_size: 256, ..Tuning::NVIDIA }, Shape::plain(acc_bytes, commutative))
                .expect("a planner");
        let size = planner.tuning().workgroup_size;
        (size, planner.finish(size), planner.tuning().layout)
    };
    let roomy = facts(BYTES_MAX, 256, Some((32, 32)), 16384);
    let subgroups = Finish::Subgroups { lanes_min: 32 };
    assert_eq!(planned(roomy, 12, true), (256, subgroups, Layout::Strided));
    assert_eq!(planned(roomy, 12, false), (256, Finish::Tree, Layout::Blocked));
    assert_eq!(planned(Facts { workgroup_bytes_max: 1024, ..roomy }, 12, false), (64, Finish::Tree, Layout::Blocked));
    assert_eq!(planned(Facts { workgroup_bytes_max: 1024, ..roomy }, 56, true), (256, subgroups, Layout::Strided));
    assert_eq!(planned(Facts { lanes: None, ..roomy }, 12, true), (256, Finish::Tree, Layout::Strided));
    // Shuffles need full subgroups.
    let wide = Facts { lanes: Some((4, 128)), invocations_max: 64, ..roomy };
    assert_eq!(planned(wide, 12, true), (64, Finish::Tree, Layout::Strided));
}

fn power(most: u32) -> impl Strategy<Value = u32> {
    (0..=most).prop_map(|bits| 1 << bits)
}

prop_compose! {
    fn any_facts()(
        alignment in 4u32..=8,
        times in 2u64..300,
        invocations_max in 1u32..300,
        workgroups_max in 1u32..40,
        workgroup_bytes_max in 256u64..5000,
        lanes in prop::option::of((2u32..=5, 0u32..=3)),
    ) -> Facts {
        let storage_alignment = 1 << alignment;
        Facts {
            binding_bytes_max: storage_alignment * times,
            storage_alignment,
            uniform_alignment: 256,
            invocations_max,
            workgroups_max,
            workgroup_bytes_max,
            lanes: lanes.map(|(least, more)| (1 << least, 1 << (least + more))),
        }
    }
}

prop_compose! {
    fn any_tuning()(
        workgroup_size in power(8),
        single_workgroup_size in power(8),
        workgroups_max in 1u32..20,
        loads_in_flight in 1u32..=16,
        single_elements_max in 0u64..5000,
        blocked in any::<bool>(),
        subgroups in any::<bool>(),
        dispatch_bytes_max in prop_oneof![1024u64..9000, Just(1 << 30)],
    ) -> Tuning {
        Tuning {
            workgroup_size,
            single_workgroup_size,
            workgroups_max,
            loads_in_flight,
            single_elements_max,
            layout: if blocked { Layout::Blocked } else { Layout::Strided },
            subgroups,
            bins: true,
            bins_single_elements_max: single_elements_max / 2,
            bins_loads_in_flight: loads_in_flight % 5 + 1,
            dispatch_bytes_max,
        }
    }
}

prop_compose! {
    fn any_piece()(buffer in 0usize..4, first in 0u64..2000, elements in prop_oneof![0u64..40, 0u64..4000]) -> Piece {
        Piece::of(buffer, first, elements)
    }
}

fn any_zipped_piece() -> impl Strategy<Value = Piece> {
    (any_piece(), 0usize..4, 0u64..2000)
        .prop_map(|(piece, buffer, first)| Piece { other: Some((buffer, first)), ..piece })
}

prop_compose! {
    /// Exact operators: pieces of 8-byte elements are all zipped, or none is.
    fn any_exact_case()(
        facts in any_facts(),
        tuning in any_tuning(),
        shape in prop::sample::select(exact_shapes().to_vec()),
        zip in any::<bool>(),
        pieces in prop::collection::vec(any_piece(), 0..6),
        zipped in prop::collection::vec(any_zipped_piece(), 0..6),
        start in prop_oneof![Just(0), any::<u64>()],
        direct in any::<bool>(),
    ) -> Case {
        let pieces = if zip && shape.element_bytes == 8 { zipped } else { pieces };
        Case { facts: roomy(facts), tuning, shape, pieces, start, direct }
    }
}

prop_compose! {
    fn any_case()(
        facts in any_facts(),
        tuning in any_tuning(),
        acc_words in 1u64..=14,
        commutative in any::<bool>(),
        pieces in prop::collection::vec(any_piece(), 0..6),
        start in prop_oneof![Just(0), any::<u64>()],
        direct in any::<bool>(),
    ) -> Case {
        Case { facts, tuning, shape: Shape::plain(acc_words * 4, commutative), pieces, start, direct }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn plans_of_anything(case in any_case()) {
        check(&case, &planner(&case));
    }

    #[test]
    fn plans_of_exact_operators(case in any_exact_case()) {
        check(&case, &planner(&case));
    }
}

/// The model itself notices what it is there for: a plan with one number changed fails some check.
#[test]
fn wrong_plans_are_noticed() {
    let tuning = some_tunings()[0];
    let (facts, shape) = (facts(4096, 256, None, 16384), Shape::plain(12, true));
    let case = Case { facts, tuning, shape, pieces: one(0, 5, 3000), start: 7, direct: true };
    let planner = planner(&case);
    let good = check(&case, &planner);
    assert!(good.passes.len() > 3);
    let changes: [fn(&mut Pass); 8] = [
        |pass| pass.params.first += 1,
        |pass| pass.params.count -= 1,
        |pass| pass.params.run -= 1,
        |pass| pass.params.round -= 1,
        |pass| pass.params.slot += 1,
        |pass| pass.params.base[0] += 1,
        |pass| pass.params.base[1] += 1,
        |pass| pass.trips = 1,
    ];
    let zipped = Case {
        shape: exact(8, 20, Some((40, 1))),
        facts: roomy(facts),
        pieces: vec![Piece { other: Some((1, 70)), ..Piece::of(0, 5, 9000) }],
        ..case.clone()
    };
    let zipped_planner = Planner::new(zipped.facts, zipped.tuning, zipped.shape).expect("a planner");
    let mut plan = check(&zipped, &zipped_planner);
    plan.passes[1].params.shift += 1;
    let judge = || check_elements(&zipped, &zipped_planner, &plan);
    assert!(std::panic::catch_unwind(judge).is_err(), "another partner goes unnoticed");
    let missed: Vec<_> = (0..changes.len())
        .filter(|&change| {
            let mut plan = good.clone();
            changes[change](&mut plan.passes[1]);
            let judge = || {
                check_arithmetic(&case, &planner, &plan);
                check_partials(&case, &planner, &plan);
                check_elements(&case, &planner, &plan);
            };
            std::panic::catch_unwind(judge).is_ok()
        })
        .collect();
    assert!(missed.is_empty(), "changes {missed:?} go unnoticed");
}
