//! Partials of many answers: wherever an array is cut, on whichever engine, the parts merge to the bits of the whole;
//! so do those of groups by key; what does not belong together is refused.

use crate::common::*;
use treefold::ops::{self, *};
use treefold::{Axes, Cpu, Dtype, DynOp, Element, Engine, Error, Gpu, Input, Op, Partial, Partials, StreamOptions};

/// The array of these tests, in C order.
const SHAPE: [u64; 3] = [6, 5, 4];
const STRIDES: [i64; 3] = [20, 4, 1];
const SETS: [&[i64]; 6] = [&[0], &[1], &[2], &[0, 2], &[1, 2], &[0, 1, 2]];

/// Indices `from..to` of the outermost axis that is reduced, as a view of the whole array; and elements of an answer
/// before it.
fn part(axes: &[i64], from: u64, to: u64) -> (Axes, u64) {
    let cut = axes[0] as usize;
    let mut shape = SHAPE;
    shape[cut] = to - from;
    let inner: u64 = axes[1..].iter().map(|&axis| SHAPE[axis as usize]).product();
    (Axes::strided(from * STRIDES[cut] as u64, &shape, &STRIDES, axes).expect("axes"), from * inner)
}

fn refused<R: std::fmt::Debug>(outcome: treefold::Result<R>, words: &[&str]) {
    let Err(Error::BadPartial { reason }) = outcome else { panic!("{outcome:?} is not refused: {words:?}") };
    words.iter().for_each(|word| assert!(reason.contains(word), "no {word:?} in {reason}"));
}

/// Through bytes, as another machine would get them.
fn sent<T: Element, O: Op<T>>(op: &O, partials: Partials<T, O>) -> Partials<T, O> {
    let bytes = partials.to_bytes().expect("bytes");
    let read = Partials::<T, O>::from_bytes(op.clone(), &bytes).expect("the same");
    assert_eq!(read.to_bytes().expect("bytes"), bytes);
    assert_eq!((read.shape(), read.length(), read.first()), (partials.shape(), partials.length(), partials.first()));
    assert_eq!(read.counts(), partials.counts());
    read
}

/// Three parts of each view, by engines in turn, against the whole; `told`: parts know their first places.
fn parts_are_the_whole<T: Element, O: Op<T>>(gpu: Option<&Gpu>, op: &O, elements: &[T], told: bool) {
    let cpu = Cpu::with_threads(2);
    let device = gpu.map(|gpu| (gpu.reducer::<T, O>(op.clone()).expect("a reducer"), upload(gpu, elements)));
    let of = |axes: &[i64], from: u64, to: u64, turn: usize| -> Partials<T, O> {
        let (view, first) = part(axes, from, to);
        let made = match (&device, told) {
            (Some((reducer, buffer)), _) if turn % 3 == 1 => {
                let each = Input::range(buffer, 0..120).over(view);
                pollster::block_on(reducer.partials_each_async(each, told.then_some(first)))
            }
            (Some((reducer, buffer)), true) if turn % 3 == 2 => {
                reducer.partials_each_at(Input::range(buffer, 0..120).over(view), first)
            }
            (Some((reducer, buffer)), false) if turn % 3 == 2 => {
                reducer.partials_each(Input::range(buffer, 0..120).over(view))
            }
            (_, true) => cpu.partials_axes_at(op.clone(), elements, &view, first),
            (_, false) => cpu.partials_axes(op.clone(), elements, &view),
        };
        sent(op, made.expect("partials"))
    };
    for (turn, axes) in SETS.into_iter().enumerate() {
        let (whole, _) = part(axes, 0, SHAPE[axes[0] as usize]);
        let want = cpu.reduce_axes(op.clone(), elements, &whole);
        assert!(matches!(want, Ok(_) | Err(Error::Overflow { .. })), "{} {axes:?}: {want:?}", op.name());
        let length = SHAPE[axes[0] as usize];
        for (a, b) in [(1, 2), (0, length - 1), (2, 2), (length, length)] {
            let [left, middle, right] =
                [(0, a), (a, b), (b, length)].map(|(from, to)| of(axes, from, to, turn + from as usize));
            let by_the_left = left.clone().merge(middle.clone()).and_then(|front| front.merge(right.clone()));
            let by_the_right = middle.merge(right).and_then(|back| left.merge(back));
            for merged in [by_the_left, by_the_right] {
                let merged = merged.expect("parts in their order");
                assert_eq!((merged.answers(), merged.length()), (whole.answers(), whole.length()));
                assert_eq!(merged.shape(), whole.shape(false));
                let found = merged.finish();
                // Any NaN is like another; what overflows does so in parts too.
                assert_eq!(format!("{found:?}"), format!("{want:?}"), "{} {axes:?} {a} {b}", op.name());
            }
        }
    }
}

/// Ordinary elements, and others of every kind in between.
fn mixed<T: Element>() -> Vec<T> {
    let mut elements: Vec<T> = Random(9).elements(120);
    for (at, x) in extremes::<T>().into_iter().chain([one()]).cycle().take(40).enumerate() {
        elements[at * 3 % 119] = x;
    }
    elements
}

/// The key of each element: three groups and one that is empty, of which the last part has elements of one alone; and nobody's.
fn key(at: usize) -> u32 {
    if at >= 100 { 2 } else { [0, 1, 9, 0, 2, u32::MAX, 4][at % 7] }
}

const GROUPS: u64 = 5;

/// Three parts of the groups, by engines in turn, against the whole; `told`: parts know their first places.
fn parts_are_the_groups<T: Element, O: Op<T>>(gpu: Option<&Gpu>, op: &O, elements: &[T], told: bool) {
    let cpu = Cpu::with_threads(2);
    let keys: Vec<u32> = (0..elements.len()).map(key).collect();
    let device =
        gpu.map(|gpu| (gpu.reducer::<T, O>(op.clone()).expect("a reducer"), upload(gpu, elements), upload(gpu, &keys)));
    let of = |range: std::ops::Range<usize>, turn: usize| -> Partials<T, O> {
        let made = match &device {
            Some((reducer, values, keys)) if turn.is_multiple_of(2) || told => {
                let (from, to) = (range.start as u64, range.end as u64);
                let each = Input::range(values, from..to).groups(Input::range(keys, from..to), GROUPS);
                if told { reducer.partials_each_at(each, from) } else { reducer.partials_each(each) }
            }
            _ => cpu.partials_groups(op.clone(), &keys[range.clone()], &elements[range], GROUPS),
        };
        sent(op, made.expect("partials"))
    };
    let want = cpu.reduce_groups(op.clone(), &keys, elements, GROUPS);
    assert!(matches!(want, Ok(_) | Err(Error::Overflow { .. })), "{}: {want:?}", op.name());
    let counts: Vec<u64> =
        (0..GROUPS).map(|group| keys.iter().filter(|&&key| u64::from(key) == group).count() as u64).collect();
    assert_eq!((counts[3], counts.iter().all(|&count| count > 0)), (0, false));
    for (turn, (a, b)) in [(1, 2), (0, 119), (60, 60), (100, 120), (120, 120)].into_iter().enumerate() {
        let [left, middle, right] = [(0..a, 0), (a..b, 1), (b..120, 2)].map(|(range, at)| of(range, turn + at));
        let by_the_left = left.clone().merge(middle.clone()).and_then(|front| front.merge(right.clone()));
        let by_the_right = middle.merge(right).and_then(|back| left.merge(back));
        for merged in [by_the_left, by_the_right] {
            let merged = merged.expect("parts in their order");
            assert_eq!((merged.shape(), merged.length()), (&[GROUPS][..], 120));
            assert_eq!(merged.counts(), Some(&counts[..]));
            let (found, want) = (merged.finish(), want.as_ref().map(|want| &want.answers));
            assert_eq!(format!("{found:?}"), format!("{want:?}"), "{} {a} {b}", op.name());
        }
    }
}

#[test]
fn every_operator_that_does_not_round() {
    struct Whole(usize);
    impl Visitor for &mut Whole {
        type Out = ();
        fn visit<T: Element>(self, op: DynOp<T>) {
            let integers = matches!(T::DTYPE, Dtype::I32 | Dtype::U32 | Dtype::I64 | Dtype::U64);
            // Operators that the host alone computes add up in f64.
            if op.is_exact() || (integers && treefold::Fold::host_only(&op.fold()).is_none()) {
                parts_are_the_whole::<T, _>(None, &op, &mixed::<T>(), false);
                if treefold::Fold::is_commutative(&op.fold()) {
                    parts_are_the_groups::<T, _>(None, &op, &mixed::<T>(), false);
                }
                self.0 += 1;
            }
        }
    }
    let mut seen = Whole(0);
    for entry in TABLE {
        ops::visit(entry.name, entry.dtype, &mut seen);
    }
    assert!(seen.0 > 40, "{}", seen.0);
}

#[test]
fn every_engine_and_every_order() {
    let gpu = gpu().with_tuning(small()).expect("a launch shape");
    for told in [false, true] {
        parts_are_the_whole::<f32, _>(Some(&gpu), &(Sum, ArgMin, Mean), &mixed(), told);
        parts_are_the_whole::<u32, _>(Some(&gpu), &TextHash, &mixed(), told);
        parts_are_the_whole::<u32, _>(Some(&gpu), &WeightedSum, &mixed(), told);
    }
    parts_are_the_whole::<i32, _>(Some(&gpu), &Alternating, &Random(4).elements(120), true);
    let histogram = Histogram::new(9, -1.0, 1.0).expect("a histogram");
    parts_are_the_whole::<f32, _>(Some(&gpu), &histogram, &mixed(), false);
}

#[test]
fn groups_on_every_engine() {
    let gpu = gpu().with_tuning(small()).expect("a launch shape");
    for told in [false, true] {
        parts_are_the_groups::<f32, _>(Some(&gpu), &(Sum, ArgMin, Mean), &mixed(), told);
        parts_are_the_groups::<i32, _>(Some(&gpu), &(Variance { ddof: 1 }, MinMax), &mixed(), told);
    }
    // What counts in bins has no groups on the device.
    let histogram = Histogram::new(9, -1.0, 1.0).expect("a histogram");
    parts_are_the_groups::<f32, _>(None, &histogram, &mixed(), false);
    let (elements, keys) = (mixed::<f32>(), (0..120).map(key).collect::<Vec<_>>());
    for engine in [Engine::Cpu(Cpu::with_threads(2)), Engine::Gpu(gpu)] {
        let half = |range: std::ops::Range<usize>| {
            let mut stream = engine.stream_groups((Mean, ArgMax), GROUPS, &StreamOptions::default()).expect("a stream");
            let mut parts = keys[range.clone()].chunks(7).zip(elements[range].chunks(7));
            parts.try_for_each(|(keys, elements)| stream.push(keys, elements)).expect("room");
            stream.partials().expect("partials")
        };
        let merged = half(0..70).merge(half(70..120)).expect("halves").finish().expect("answers");
        let want = Cpu::new().reduce_groups((Mean, ArgMax), &keys, &elements, GROUPS).expect("answers");
        assert_eq!(format!("{merged:?}"), format!("{:?}", want.answers));
    }
}

#[test]
fn streams_leave_partials() {
    let elements: Vec<f32> = mixed();
    let op = (Sum, Max);
    for engine in [Engine::Cpu(Cpu::with_threads(2)), Engine::Gpu(gpu())] {
        let half = |elements: &[f32]| {
            let axes = Axes::of(&[3, 5, 4], &[0]).expect("axes");
            let mut stream = engine.stream_each(op, &axes, &StreamOptions::default()).expect("a stream");
            elements.chunks(7).try_for_each(|part| stream.push(part)).expect("room");
            stream.partials().expect("partials")
        };
        let merged = half(&elements[..60]).merge(half(&elements[60..])).expect("halves").finish().expect("answers");
        let want = Cpu::new().reduce_axes(op, &elements, &part(&[0], 0, 6).0).expect("answers");
        assert_eq!(format!("{merged:?}"), format!("{want:?}"));
    }
    let axes = Axes::of(&[3], &[]).expect("axes");
    let short = Engine::Cpu(Cpu::new()).stream_each::<f32, _>(op, &axes, &StreamOptions::default()).expect("a stream");
    assert!(matches!(short.partials(), Err(Error::ViewOutside { .. })));
}

#[test]
fn what_does_not_belong_together() {
    let cpu = Cpu::new();
    let elements: Vec<i32> = (0..24).collect();
    let of = |shape: &[u64], axes: &[i64]| {
        let n = shape.iter().product::<u64>() as usize;
        cpu.partials_axes(ArgMax, &elements[..n], &Axes::of(shape, axes).expect("axes")).expect("partials")
    };
    let two = of(&[4, 2], &[0]);
    refused(two.clone().merge(of(&[4, 3], &[0])), &["[2]", "[3]", "same answers"]);
    refused(two.clone().merge(of(&[2, 1, 2], &[0])), &["[2]", "[1, 2]"]);
    // A part of nothing is of the same answers too.
    refused(two.clone().merge(of(&[0, 3], &[0])), &["[2]", "[3]"]);
    assert_eq!(two.clone().merge(of(&[0, 2], &[0])).expect("nothing more").length(), 4);
    let wide = two.clone().with_shape(&[1, 2]).expect("as many");
    assert_eq!(wide.merge(of(&[2, 1, 2], &[0])).expect("one shape").shape(), [1, 2]);
    for shape in [&[3][..], &[2, 2], &[], &[0], &[1 << 63, 2], &[1 << 32, 1 << 32, 1 << 32]] {
        refused(two.clone().with_shape(shape), &["2 answers", &format!("{shape:?}")]);
    }
    // Groups, of which each has elements of its own number.
    let groups = |groups| cpu.partials_groups(ArgMax, &[0, 1, 0], &elements[..3], groups).expect("partials");
    refused(two.clone().merge(groups(2)), &["one part is of groups"]);
    refused(groups(2).merge(of(&[0, 2], &[0])), &["one part is of groups"]);
    refused(groups(2).merge(groups(3)), &["[2]", "[3]"]);
    refused(groups(2).stack(groups(2)), &["stack rows"]);
    // Order.
    let at = |from: u64, to: u64| {
        let (view, first) = (Axes::strided(from * 2, &[to - from, 2], &[2, 1], &[0]).expect("axes"), from);
        cpu.partials_axes_at(ArgMax, &elements, &view, first).expect("partials")
    };
    refused(at(4, 8).merge(at(0, 4)), &["order", "argmax"]);
    refused(at(0, 4).merge(at(5, 8)), &["gaps"]);
    refused(two.clone().merge(at(4, 8)), &["knows its place"]);
    // Operators, their parameters, types.
    let of_ddof = |ddof| {
        let rows = Axes::of(&[3, 8], &[1]).expect("axes");
        cpu.partials_axes(Variance { ddof }, &elements, &rows).expect("partials")
    };
    refused(of_ddof(0).merge(of_ddof(1)), &["ddof=0", "ddof=1"]);
    let bytes = two.to_bytes().expect("bytes");
    refused(Partials::<i32, _>::from_bytes(ArgMin, &bytes), &["argmax", "argmin"]);
    refused(Partials::<u32, _>::from_bytes(ArgMax, &bytes), &["i32", "u32"]);
    refused(Partial::<i32, _>::from_bytes(ArgMax, &bytes), &["[2]", "Partials::from_bytes"]);
    let bytes = of_ddof(0).to_bytes().expect("bytes");
    refused(Partials::<i32, _>::from_bytes(Variance { ddof: 1 }, &bytes), &["ddof=0", "ddof=1"]);
}

/// One answer of no axes and a single partial are the same.
#[test]
fn one_answer_is_a_single_partial() {
    let cpu = Cpu::new();
    let elements: Vec<f32> = mixed();
    let all = cpu.partials_axes(Sum, &elements, &part(&[0, 1, 2], 0, 6).0).expect("partials");
    let single = cpu.partial(Sum, &elements);
    let bytes = all.to_bytes().expect("bytes");
    assert_eq!(bytes, single.to_bytes().expect("bytes"));
    let read = Partials::<f32, _>::from_bytes(Sum, &bytes).expect("one answer");
    assert_eq!((read.shape(), read.answers(), read.length()), (&[][..], 1, 120));
    let none = cpu.partials_axes(Sum, &elements[..0], &Axes::of(&[0, 7], &[1]).expect("axes")).expect("partials");
    assert_eq!((none.answers(), none.shape()), (0, &[0][..]));
    assert_eq!(sent(&Sum, none).finish().expect("no answers"), []);
}

/// Every cut and every flipped bit is noticed; so are lengths that contradict each other under a checksum that is
/// right.
#[test]
fn damaged_bytes() {
    let rows = Axes::of(&[2, 3, 2], &[2]).expect("axes");
    let partials = Cpu::new().partials_axes(Sum, &(0..12).collect::<Vec<i32>>(), &rows).expect("partials");
    let bytes = partials.to_bytes().expect("bytes");
    let read = |bytes: &[u8]| Partials::<i32, _>::from_bytes(Sum, bytes);
    for length in 0..bytes.len() {
        refused(read(&bytes[..length]), &[]);
    }
    for bit in 0..8 * bytes.len() {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        refused(read(&damaged), &[]);
    }
    let resealed = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = bytes[..bytes.len() - 4].to_vec();
        change(&mut bytes);
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    };
    assert_eq!(resealed(&|_| ()), bytes);
    let number =
        |at: usize, value: u64| resealed(&move |bytes| bytes[at..at + 8].copy_from_slice(&value.to_le_bytes()));
    // Axes, then the shape [2, 3].
    for wrong in [number(40, 0), number(40, 3 | 2 << 32), number(40, u64::MAX), number(44, 3), number(52, 1 << 62)] {
        refused(read(&wrong), &["contradict"]);
    }
    let other = read(&number(44, 3).into_iter().collect::<Vec<_>>());
    assert!(other.is_err());
    // As many answers in another shape are as good.
    let turned = resealed(&|bytes| {
        bytes[44..52].copy_from_slice(&3u64.to_le_bytes());
        bytes[52..60].copy_from_slice(&2u64.to_le_bytes());
    });
    assert_eq!(read(&turned).expect("six answers").shape(), [3, 2]);
    refused(read(&resealed(&|bytes| bytes[8] = 2)), &["contradict"]);
    refused(read(&resealed(&|bytes| bytes[8] = 4)), &["contradict"]);
    refused(read(&resealed(&|bytes| bytes[8] = 5)), &["version 5"]);
    // Of groups: their counts stand behind the accumulators.
    let groups = Cpu::new().partials_groups(Sum, &[0, 1, 7, 1], &[1, 2, 3, 4], 2).expect("partials");
    let bytes = groups.to_bytes().expect("bytes");
    for length in 0..bytes.len() {
        refused(read(&bytes[..length]), &[]);
    }
    let counted = |counts: [u64; 2]| {
        let mut bytes = bytes[..bytes.len() - 20].to_vec();
        bytes.extend(counts.iter().flat_map(|count| count.to_le_bytes()));
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    };
    assert_eq!(counted([1, 2]), bytes);
    assert_eq!(read(&counted([1, 3])).expect("four").counts(), Some(&[1, 3][..]));
    for counts in [[1, 4], [5, 0], [u64::MAX, 2]] {
        refused(read(&counted(counts)), &["more than the 4 elements"]);
    }
    refused(read(&resealed(&|bytes| bytes.extend([0; 4]))), &["contradict"]);
}
