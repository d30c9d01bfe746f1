//! Lists of the best of each of many answers: every element of every answer where its kernel looks for it, every answer once, within every
//! limit. Places are found as shaders/top/strides.wgsl and offsets.wgsl do.

use crate::cases::{BYTES_MAX, limits, some_limits};
use treefold::internals::{Dim, Lies, Limits, ListPass, ListRules, Piece, Strided, TRIPS_MAX};
use treefold::{Axes, Error};

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

/// What every pass keeps; the answers of all together are those of `count`, in their order.
fn keeps(limits: &Limits, rules: &ListRules, passes: &[ListPass], count: u64, trips: u64, answer_bytes: u64) {
    let mut next = 0;
    for pass in passes {
        assert_eq!(pass.answers.start, next);
        next = pass.answers.end;
        let answers = pass.answers.end - pass.answers.start;
        assert!(pass.bytes.start.is_multiple_of(limits.storage_alignment) && pass.bytes.end.is_multiple_of(4));
        assert!(pass.bytes.end - pass.bytes.start <= limits.binding_bytes_max);
        assert!(answers * answer_bytes + limits.storage_alignment <= limits.binding_bytes_max);
        assert!(pass.workgroups <= limits.workgroups_max.min(65_535));
        assert!(u64::from(pass.workgroups) <= answers);
        let loops = answers.div_ceil(u64::from(pass.workgroups).max(1));
        assert!(loops * trips <= TRIPS_MAX, "{loops} answers of {trips} trips");
    }
    assert_eq!(next, count);
    assert!(rules.trips(rules.most) <= TRIPS_MAX && rules.trips(rules.most + 1) > TRIPS_MAX);
    assert!(rules.longest <= rules.most && (rules.longest <= u64::from(rules.room) || rules.wanted <= rules.room));
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
        for (k, rank_bytes, short) in [
            (1, 4, true),
            (1, 4, false),
            (300, 4, false),
            (1024, 4, false),
            (10, 8, true),
            (10, 8, false),
            (1024, 8, false),
        ] {
            let Ok(rules) = ListRules::of(&limits, k, rank_bytes, short) else { continue };
            let memory = u64::from(rules.room) * (rank_bytes + 4) + u64::from(rules.workgroup_size) * (rank_bytes + 8);
            assert!(
                memory <= limits.workgroup_bytes_max
                    && rules.room >= if short { 64 } else { k }
                    && 1 << rules.bits <= rules.workgroup_size
            );
            for strided in views() {
                let (element_bytes, answer_bytes) = (rank_bytes, u64::from(k) * (rank_bytes + 8) + 4);
                let elements = strided.span().1 as u64 + 1;
                let piece = Piece::of(0, 77, elements);
                let weighed = rules.weighed(&strided);
                if weighed > rules.most {
                    continue;
                }
                match rules.strided(&limits, &[piece], &strided, (element_bytes, answer_bytes)) {
                    Ok(passes) => {
                        keeps(&limits, &rules, &passes, strided.answers(), rules.trips(weighed), answer_bytes);
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

#[test]
fn segments_and_rows_of_several_buffers() {
    let limits = limits(1 << 20, 256, None, 16384);
    let rules = ListRules::of(&limits, 10, 4, false).expect("rules");
    let (piece, sizes) = (Piece::of(0, 100, 50_000), (4, 124));
    for segments in [0, 1, 5, 70_000, 200_000] {
        let offsets = Piece::of(1, 3, segments + 1);
        let passes = rules.segments(&limits, &[piece], offsets, 20, sizes).expect("a plan");
        keeps(&limits, &rules, &passes, segments, rules.trips(20), 124);
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
    for scattered in [Strided::rows(2, 750), Strided::rows(3, 500)] {
        let told = rules.strided(&limits, &pieces, &scattered, sizes);
        assert!(matches!(told, Err(Error::ViewTooScattered { .. })), "{told:?}");
    }
}
