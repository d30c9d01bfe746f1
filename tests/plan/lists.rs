//! Lists of the best of each of many answers: every element of every answer where its kernel looks for it, every answer once, within every
//! limit. Places are found as shaders/top/strides.wgsl and offsets.wgsl do.

use crate::cases::{BYTES_MAX, limits, some_limits};
use treefold::internals::{Cut, Dim, Lies, Limits, ListPass, ListRules, Piece, Strided, TRIPS_MAX};
use treefold::{Axes, Error, Tuning};

/// The place from the start of the binding, as the kernel computes it, modulo 2^32.
fn offset_of(index: u64, dims: &[Dim]) -> u32 {
    let (mut at, mut rest) = (0u32, index as u32);
    for (number, dim) in dims.iter().enumerate().rev() {
        let here = if number == 0 { rest } else { rest % dim.length as u32 };
        at = at.wrapping_add(here.wrapping_mul(dim.stride as u32));
        rest /= dim.length.max(1) as u32;
    }
    at
}

/// Trips of a loop over so many by `step` at a time.
fn by(count: u64, step: u64) -> u64 {
    (0..count).step_by(step as usize).count() as u64
}

/// Trips of what finds an edge: shaders/top/edge.wgsl. A candidate is an element at its place, or one in a list.
fn edge(size: u64, rank_bytes: u64, candidates: u64, place: u64) -> u64 {
    let look = by(256, size) + by(candidates, size) * (1 + place);
    // Bits that are alike, from the highest on; of each digit sums of 16 counters, then one of 16 sums, one of 16 counters.
    look + 8 * rank_bytes + (0..rank_bytes).map(|_| 1 + look + by(16, size) * 17 + 15 + 15).sum::<u64>()
}

/// Trips of shaders/top/sort.wgsl.
fn sorting(size: u64, room: u64) -> u64 {
    let (mut sort, mut apart) = (by(room, size) + u64::from(room.ilog2()), 1);
    while apart < room {
        sort += 1 + (1 + u64::from(u64::ilog2(apart))) * (1 + by(room / 2, size));
        apart *= 2;
    }
    sort
}

/// Trips of an answer whose list had no room: shaders/top/by_digits.wgsl, take.wgsl.
fn digit_trips(rules: &ListRules, length: u64, kept: u64, reduced: u64) -> u64 {
    let Some(digits) = rules.digits.filter(|_| length > rules.room.into()) else { return 0 };
    let (size, every) = (u64::from(digits.workgroup_size), by(length, digits.workgroup_size.into()));
    let taken = every * (1 + reduced) + 2 * u64::from(digits.workgroup_size.ilog2()) + every * (1 + 2 * reduced);
    let left = by(rules.wanted.into(), size) * (1 + reduced);
    1 + kept
        + reduced
        + edge(size, rules.rank_bytes, length, reduced)
        + taken
        + sorting(size, digits.room.into())
        + left
}

/// Loop trips of the busiest invocation, loop by loop as the kernel has them: shaders/top/lists.wgsl, each.wgsl, bests.wgsl, pairs.wgsl,
/// digits.wgsl, strides.wgsl.
fn trips(rules: &ListRules, length: u64, kept: u64, reduced: u64) -> u64 {
    let (loads, team, room) = (u64::from(rules.loads), u64::from(rules.team), u64::from(rules.room));
    // Whoever begins a stretch has most of it.
    let find =
        |from: u64, end: u64| (from..end).step_by((team * loads) as usize).map(|_| 1 + loads * reduced).sum::<u64>();
    let look = match rules.groups {
        0 => 0,
        groups => (0..team).step_by(groups as usize).skip(1).count() as u64 + u64::from(groups),
    };
    let wanted = u64::from(rules.wanted);
    let some = length.min(room);
    let (mut cut, mut sort) = (by(some, team) * (1 + by(some, 4)) + by(some.min(wanted), team), 0);
    if rules.cut == Cut::Digits {
        (cut, sort) = (edge(team, rules.rank_bytes, some, 0), sorting(team, room));
    }
    let mut all = kept + look + if rules.groups == 0 { 0 } else { loads * reduced };
    let (mut seen, mut next) = (0, u64::from(rules.first));
    while seen < length {
        if seen > 0 {
            all += cut;
            next = if rules.more == 0 { length } else { seen + seen / 8 * u64::from(rules.more) };
            assert!(next > seen, "{rules:?} comes to an end at {seen}");
        }
        all += 1 + find(seen, next.min(length));
        seen = next;
    }
    if length > room {
        all += look + find(0, length);
    }
    all + cut + sort + by(wanted, team) * (1 + reduced)
}

/// What every pass keeps; the answers of all together are those of `count`, in their order. An answer has so many trips, reads and leaves so many bytes.
fn keeps(
    limits: &Limits,
    rules: &ListRules,
    passes: &[ListPass],
    count: u64,
    ([trips, by_digits], read, answer_bytes): ([u64; 2], u64, u64),
) {
    let mut next = 0;
    for pass in passes {
        assert_eq!(pass.answers.start, next);
        next = pass.answers.end;
        let answers = pass.answers.end - pass.answers.start;
        assert!(pass.bytes.start.is_multiple_of(limits.storage_alignment) && pass.bytes.end.is_multiple_of(4));
        assert!(pass.bytes.end - pass.bytes.start <= limits.binding_bytes_max);
        assert!(answers * answer_bytes + limits.storage_alignment <= limits.binding_bytes_max);
        assert!(answers * read * 2 <= rules.dispatch_bytes || answers == 1);
        assert!(pass.workgroups <= limits.workgroups_max.min(65_535));
        let teams = u64::from(rules.workgroup_size / rules.team);
        assert!(u64::from(pass.workgroups) <= answers.div_ceil(teams));
        let loops = answers.div_ceil(teams * u64::from(pass.workgroups).max(1));
        assert!(loops * (1 + trips) <= TRIPS_MAX + loops, "{loops} answers of {trips} trips");
        let (workgroups, batch) = pass.digits;
        assert!(workgroups <= limits.workgroups_max.min(65_535));
        match rules.digits.filter(|_| by_digits > 0) {
            Some(digits) => {
                assert_eq!(answers.div_ceil(batch.into()), workgroups.into());
                assert!(batch <= digits.workgroup_size && u64::from(batch) * by_digits <= TRIPS_MAX, "{pass:?}");
            }
            None => assert_eq!(pass.digits, (0, 0), "{pass:?}"),
        }
    }
    assert_eq!(next, count);
    let most = trips_of_neighbours(rules, rules.longest);
    assert!(most.into_iter().all(|most| most <= TRIPS_MAX), "{most:?} trips of {}", rules.longest);
    assert!(rules.longest <= u64::from(rules.room) || rules.wanted <= rules.room);
}

fn trips_of_neighbours(rules: &ListRules, length: u64) -> [u64; 2] {
    [trips(rules, length, 0, 0), digit_trips(rules, length, 0, 0)]
}

/// The elements of some answers lie where the view has them.
fn finds(passes: &[ListPass], strided: &Strided, piece: Piece, element_bytes: u64) {
    for pass in passes {
        let Lies::Strides { kept, reduced } = &pass.lies else { panic!("{pass:?}") };
        let answers = pass.answers.end - pass.answers.start;
        let some = |n: u64| [0, 1, n / 2, n.saturating_sub(1)].into_iter().filter(move |&at| at < n);
        for answer in some(answers) {
            for element in some(pass.length) {
                let place = pass.first.wrapping_add(offset_of(answer, kept)).wrapping_add(offset_of(element, reduced));
                let within = treefold::internals::offset(&strided.reduced, element);
                let want = piece.first + strided.place(pass.answers.start + answer).wrapping_add_signed(within);
                assert_eq!(u64::from(place) + pass.bytes.start / element_bytes, want, "{pass:?}");
                assert!((u64::from(place) + 1) * element_bytes <= pass.bytes.end - pass.bytes.start);
            }
        }
    }
}

/// A view: its first element, its shape, its strides, and the axes that are reduced.
type Viewed = (u64, &'static [u64], &'static [i64], &'static [i64]);

fn views() -> Vec<Strided> {
    let mut all =
        vec![Strided::rows(1, 1), Strided::rows(1, 9000), Strided::rows(70_000, 3), Strided::rows(3, 100_000)];
    let shapes: [Viewed; 6] = [
        (0, &[300, 400], &[400, 1], &[0]),
        (0, &[30, 40, 50], &[2000, 50, 1], &[1]),
        (119_999, &[300, 400], &[-400, -1], &[1]),
        (50, &[3, 5, 7, 11], &[-1, 90, 0, 13], &[1, 3]),
        (0, &[0, 4], &[4, 1], &[0]),
        (2, &[1 << 20], &[3], &[]),
    ];
    all.extend(
        shapes.map(|(first, shape, strides, axes)| {
            Axes::strided(first, shape, strides, axes).expect("axes").dims().clone()
        }),
    );
    all
}

#[test]
fn every_answer_once_and_every_element_in_its_place() {
    let mut planned = 0;
    for limits in some_limits() {
        for (k, rank_bytes, kind) in [
            (1, 4, 0),
            (1000, 4, 0),
            (16, 4, 1),
            (1, 4, 2),
            (16, 4, 3),
            (32, 4, 3),
            (1, 4, 6),
            (60, 4, 4),
            (300, 4, 6),
            (1024, 4, 6),
            (10, 8, 0),
            (10, 8, 3),
            (10, 8, 5),
            (1024, 8, 6),
        ] {
            let Ok(rules) = ListRules::of(&limits, &Tuning::NVIDIA, k, rank_bytes, kind) else { continue };
            let (teams, size) = (rules.workgroup_size / rules.team, rules.workgroup_size);
            let single = if rules.cut == Cut::Digits { 0 } else { teams * rules.kept };
            let bests = if rules.groups == 0 { 0 } else { size + teams };
            // Counters of a digit, sums of those, what has been found.
            let counters = 4 * (256 + 16 + 4);
            let edge = if rules.cut == Cut::Digits { counters } else { 0 };
            let memory = u64::from(teams * rules.room) * (rank_bytes + 4)
                + u64::from(single + bests) * 2 * rank_bytes
                + u64::from(teams) * 4
                + edge;
            if let Some(digits) = rules.digits {
                assert!(digits.room >= k && digits.workgroup_size <= limits.invocations_max, "{rules:?}");
                let memory =
                    u64::from(digits.room) * (rank_bytes + 4) + u64::from(digits.workgroup_size) * 8 + counters;
                assert!(memory <= limits.workgroup_bytes_max, "{rules:?}");
            }
            assert!(memory <= limits.workgroup_bytes_max, "{rules:?}");
            assert!(teams <= 32 && teams * rules.team == size && rules.room.is_multiple_of(rules.team), "{rules:?}");
            assert!(rules.room >= if kind == 0 { 64 } else { k } && rules.room.is_multiple_of(4), "{rules:?}");
            assert!(rules.cut == Cut::Pairs || teams == 1 && rules.room.is_power_of_two(), "{rules:?}");
            assert!(rules.first >= k.min(rules.room) || kind == 0, "{rules:?}");
            // All of the first elements have room where nothing bounds them, and else there are groups enough.
            match rules.groups {
                0 => assert!(rules.first <= rules.room, "{rules:?}"),
                groups => {
                    assert!(k <= groups && groups <= rules.team && rules.team.is_multiple_of(groups), "{rules:?}")
                }
            }
            for strided in views() {
                let (element_bytes, answer_bytes) = (rank_bytes, u64::from(k) * (rank_bytes + 8) + 4);
                let elements = strided.span().1 as u64 + 1;
                let piece = Piece::of(0, 77, elements);
                let adjacent = matches!(strided.reduced[..], [] | [Dim { stride: 1, .. }]);
                let reduced = if adjacent { 0 } else { strided.reduced.len().saturating_sub(1) };
                let kept = strided.kept.len().saturating_sub(1);
                let trips = [trips, digit_trips].map(|of| of(&rules, strided.length(), kept as u64, reduced as u64));
                assert!(trips.iter().all(|&trips| trips <= rules.trips_of(&strided)), "{trips:?} trips of {strided:?}");
                if rules.trips_of(&strided) > TRIPS_MAX {
                    continue;
                }
                match rules.strided(&limits, &[piece], &strided, (element_bytes, answer_bytes)) {
                    Ok(passes) => {
                        let told = (trips, strided.length() * element_bytes, answer_bytes);
                        keeps(&limits, &rules, &passes, strided.answers(), told);
                        finds(&passes, &strided, piece, element_bytes);
                        planned += 1;
                    }
                    // One answer that no binding holds; many of which each takes a dispatch.
                    Err(Error::LimitTooSmall { .. } | Error::ViewTooScattered { .. })
                        if limits.binding_bytes_max < BYTES_MAX => {}
                    Err(error) => panic!("{error}"),
                }
            }
        }
    }
    assert!(planned > 150, "{planned} plans");
}

/// As the page of `Ranker::record_each` says, of devices with the limits that every browser has.
#[test]
fn how_long_an_answer_may_be() {
    let limits = Limits { invocations_max: 256, ..limits(1 << 27, 256, None, 16384) };
    let longest = |k, rank_bytes| ListRules::of(&limits, &Tuning::GPU, k, rank_bytes, 6).expect("rules").longest;
    let all: Vec<u64> = [1, 10, 256, 1024].into_iter().flat_map(|k| [longest(k, 4), longest(k, 8)]).collect();
    let (least, most) = (all.iter().min().copied(), all.iter().max().copied());
    // A quarter of the invocations reach a quarter as far.
    let narrow = Limits { invocations_max: 64, ..limits };
    for (k, rank_bytes) in [(1, 4), (1, 8), (10, 4), (10, 8), (256, 4), (256, 8)] {
        let rules = ListRules::of(&narrow, &Tuning::GPU, k, rank_bytes, 6).expect("rules");
        let quarter = longest(k, rank_bytes) / 4;
        assert!((quarter * 9 / 10..=quarter * 11 / 10).contains(&rules.longest), "{rules:?}, a quarter: {quarter}");
    }
    // Larger teams reach no less far, on whatever device.
    for limits in some_limits() {
        for (k, rank_bytes) in [(1, 4), (10, 4), (10, 8), (30, 8), (100, 4), (1024, 8)] {
            let reach =
                |kind| ListRules::of(&limits, &Tuning::GPU, k, rank_bytes, kind).map_or(0, |rules| rules.longest);
            let reach: Vec<_> = (5..7).map(reach).collect();
            assert!(reach.is_sorted(), "{k} of {rank_bytes} bytes: {reach:?}, {limits:?}");
        }
    }
    assert!(least.is_some_and(|least| least > 360_000) && most.is_some_and(|most| most < 590_000), "{all:?}");
}

#[test]
fn segments_and_rows_of_several_buffers() {
    let limits = limits(1 << 20, 256, None, 16384);
    let rules = ListRules::of(&limits, &Tuning::CPU, 10, 4, 2).expect("rules");
    let (piece, sizes) = (Piece::of(0, 100, 50_000), (4, 124));
    for segments in [0, 1, 5, 70_000, 200_000] {
        let offsets = Piece::of(1, 3, segments + 1);
        let passes = rules.segments(&limits, &[piece], offsets, 20, sizes).expect("a plan");
        keeps(&limits, &rules, &passes, segments, (trips_of_neighbours(&rules, 20), 0, 124));
        for pass in &passes {
            let Lies::Offsets { bytes, word } = &pass.lies else { panic!("{pass:?}") };
            assert_eq!(bytes.start / 4 + u64::from(*word), 3 + pass.answers.start);
            assert_eq!(bytes.end, 4 * (3 + pass.answers.end + 1));
            assert!(
                bytes.start.is_multiple_of(limits.storage_alignment)
                    && bytes.end - bytes.start <= limits.binding_bytes_max
            );
            assert_eq!(u64::from(pass.first) + pass.bytes.start / 4, 100);
        }
    }
    let pieces = [Piece::of(0, 5, 600), Piece::of(1, 0, 0), Piece::of(2, 9, 900)];
    let passes = rules.strided(&limits, &pieces, &Strided::rows(5, 300), sizes).expect("a plan");
    let of: Vec<_> = passes.iter().map(|pass| (pass.buffer, pass.answers.clone())).collect();
    assert_eq!(of, [(0, 0..2), (2, 2..5)]);
    let told = rules.strided(&limits, &pieces, &Strided::rows(2, 750), sizes);
    assert!(matches!(told, Err(Error::ViewTooScattered { .. })), "{told:?}");
}
