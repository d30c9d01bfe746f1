//! The k largest and smallest elements against the first k of all in order: every type, ends of every kind, wherever an input is cut.

use crate::common::{Random, extremes};
use std::cmp::Reverse;
use treefold::half::{bf16, f16};
use treefold::ops::{ArgMax, ArgMin, Bottom, Max, Ranked, Sum, Top};
use treefold::{Answer, Axes, Cpu, DynOp, Engine, Error, Op, Partial, Scalar, StreamOptions, Value, Widened};

/// The order of elements, NaN apart: both zeros are one.
fn order<T: Scalar>(x: T) -> T::Key {
    T::tie(x.key())
}

/// The places of all elements in their order, the largest first or the smallest.
fn places<T: Scalar>(elements: &[T], high: bool) -> Vec<usize> {
    let mut places: Vec<usize> = (0..elements.len()).collect();
    // Stable, so that of equal elements the first stays so.
    match high {
        true => places.sort_by_key(|&at| (!elements[at].is_nan(), Reverse(order(elements[at])))),
        false => places.sort_by_key(|&at| (!elements[at].is_nan(), order(elements[at]))),
    }
    // All NaN are equal.
    let nan = elements.iter().filter(|x| x.is_nan()).count();
    places[..nan].sort_unstable();
    places
}

fn same<T: Scalar>(found: &Ranked<T>, elements: &[T], places: &[usize], k: usize, what: &str) {
    let want: Vec<u64> = places.iter().take(k).map(|&at| at as u64).collect();
    assert_eq!(found.indices, want, "{what}");
    assert_eq!(found.values.len(), want.len(), "{what}");
    for (value, &at) in found.values.iter().zip(places) {
        let x = elements[at];
        let pattern = if x.is_nan() { T::NAN.expect("a float").pattern() } else { x.pattern() };
        assert_eq!(value.pattern(), pattern, "{what}: element {at}");
    }
}

const LENGTHS: [u32; 7] = [1, 2, 10, 31, 33, 500, 1024];

/// Both ends of some elements, at every length of the answer.
fn both<T: Scalar + Into<Value>>(elements: &[T], what: &str) {
    let (top, bottom) = (places(elements, true), places(elements, false));
    let cpu = Cpu::with_threads(2);
    for k in LENGTHS {
        let what = format!("{what}, {} elements of {}, k = {k}", elements.len(), T::DTYPE);
        let (high, low) =
            cpu.reduce((Top::new(k).expect("a k"), Bottom::new(k).expect("a k")), elements).expect("answers");
        same(&high, elements, &top, k as usize, &what);
        same(&low, elements, &bottom, k as usize, &what);
        let alone = cpu.reduce(Top::new(k).expect("a k"), elements).expect("an answer");
        same(&alone, elements, &top, k as usize, &what);
    }
    let first = |ranked: Ranked<T>| ranked.values.first().zip(ranked.indices.first()).map(|(x, &i)| (x.pattern(), i));
    let one = cpu.reduce((Top::new(1).expect("a k"), Bottom::new(1).expect("a k")), elements).expect("answers");
    let arg = cpu.reduce((ArgMax, ArgMin), elements).expect("answers");
    let found = |found: Option<treefold::ops::Found<T>>| found.map(|found| (found.value.pattern(), found.index));
    assert_eq!((first(one.0), first(one.1)), (found(arg.0), found(arg.1)), "{what}");
}

/// Elements in ascending order and in descending, all equal, few values, and ordinary ones.
fn shapes<T: Scalar + Into<Value>>() {
    let mut random = Random(5);
    for n in [0, 1, 2, 9, 10, 11, 15, 16, 17, 63, 64, 65, 127, 1023, 1024, 1025, 2049, 4097, 65_535, 65_537, 140_000] {
        let ordinary: Vec<T> = random.elements(n);
        both(&ordinary, "ordinary");
        let mut sorted = ordinary.clone();
        sorted.sort_by_key(|&x| order(x));
        both(&sorted, "ascending");
        sorted.reverse();
        both(&sorted, "descending");
        both(&vec![crate::common::one::<T>(); n], "equal");
        let special = extremes::<T>();
        let mixed: Vec<T> = (0..n).map(|_| special[random.below(special.len() as u64) as usize]).collect();
        both(&mixed, "of few values");
    }
    // One extreme among ordinary elements, in every place of a few.
    for n in [1usize, 3, 16, 33, 130] {
        for at in 0..n {
            for x in extremes::<T>() {
                let mut elements: Vec<T> = random.elements(n);
                elements[at] = x;
                let found = Cpu::with_threads(1).reduce(Top::new(3).expect("a k"), &elements).expect("an answer");
                same(&found, &elements, &places(&elements, true), 3, "one extreme");
                let found = Cpu::with_threads(1).reduce(Bottom::new(3).expect("a k"), &elements).expect("an answer");
                same(&found, &elements, &places(&elements, false), 3, "one extreme");
            }
        }
    }
}

#[test]
fn words() {
    shapes::<f32>();
    shapes::<i32>();
    shapes::<u32>();
}

#[test]
fn halves_and_double_words() {
    shapes::<f16>();
    shapes::<f64>();
    shapes::<i64>();
    shapes::<u64>();
}

#[test]
fn narrow_types_are_those_that_they_are_read_as() {
    let bytes: Vec<u8> = Random(3).elements(9000);
    let wide: Vec<u32> = bytes.iter().map(|&x| x.into()).collect();
    let halves: Vec<bf16> = (0..=u16::MAX).map(bf16::from_bits).collect();
    let singles: Vec<f32> = halves.iter().map(|x| x.to_f32()).collect();
    for k in LENGTHS {
        let top = Top::new(k).expect("a k");
        let found = Cpu::new().reduce(Widened(top), &bytes).expect("an answer");
        same(&found, &wide, &places(&wide, true), k as usize, "u8");
        let found = Cpu::new().reduce(Widened(top), &halves).expect("an answer");
        same(&found, &singles, &places(&singles, true), k as usize, "bf16");
    }
}

/// In streams, by rows, axes, segments, groups and keys.
#[test]
fn every_arrangement() {
    let elements: Vec<f32> = Random(6).elements(1200);
    let top = Top::new(4).expect("a k");
    let cpu = Cpu::with_threads(2);
    let of = |elements: &[f32]| cpu.reduce(top, elements).expect("an answer");
    let engine = Engine::Cpu(cpu.clone());
    let mut stream = engine.stream(top, &StreamOptions::default()).expect("a stream");
    elements.chunks(7).for_each(|part| stream.push(part).expect("room"));
    assert_eq!(stream.finish().expect("an answer").output, of(&elements));
    let rows: Vec<_> = elements.chunks(24).map(of).collect();
    assert_eq!(cpu.reduce_each(top, &elements, 24).expect("rows"), rows);
    let axes = Axes::of(&[50, 24], &[0]).expect("axes");
    let columns: Vec<_> =
        (0..24).map(|c| of(&elements.iter().copied().skip(c).step_by(24).collect::<Vec<_>>())).collect();
    assert_eq!(cpu.reduce_axes(top, &elements, &axes).expect("columns"), columns);
    let segments = cpu.reduce_segments(top, &elements, &[0, 2, 2, 700, 1200]).expect("segments");
    assert_eq!(segments, [of(&elements[..2]), of(&[]), of(&elements[2..700]), of(&elements[700..])]);
    assert_eq!((segments[0].values.len(), segments[1].values.len()), (2, 0));
    let keys: Vec<u32> = (0..1200).map(|i| i % 3).collect();
    let groups = cpu.reduce_groups(top, &keys, &elements, 3).expect("groups").answers;
    for (key, group) in groups.iter().enumerate() {
        let own: Vec<f32> = elements.iter().copied().skip(key).step_by(3).collect();
        assert_eq!(group.values, of(&own).values);
    }
    let dynamic = cpu.reduce(DynOp::of(top), &elements).expect("an answer");
    assert_eq!(dynamic.downcast_ref::<Ranked<f32>>(), Some(&of(&elements)));
    assert_eq!(dynamic.parts()[1].index, Some(of(&elements).indices[1]));
    let (sum, best, max) = cpu.reduce((Sum, top, Max), &elements).expect("a tuple");
    assert_eq!((Some(best.values[0]), best), (max, of(&elements)));
    assert_eq!(sum, cpu.reduce(Sum, &elements).expect("a sum"));
}

/// Parts of any lengths, through bytes, merged from either side.
#[test]
fn parts_are_the_whole() {
    let mut random = Random(8);
    let special = extremes::<f64>();
    let elements: Vec<f64> =
        (0..5000)
            .map(|_| {
                if random.below(3) == 0 {
                    special[random.below(special.len() as u64) as usize]
                } else {
                    random.element()
                }
            })
            .collect();
    for k in [1, 10, 1024] {
        let op = Top::new(k).expect("a k");
        let cpu = Cpu::with_threads(2);
        let whole = cpu.partial(op, &elements).to_bytes().expect("bytes");
        let part = |range: std::ops::Range<usize>| {
            let bytes = cpu.partial(op, &elements[range]).to_bytes().expect("bytes");
            Partial::<f64, Top>::from_bytes(op, &bytes).expect("a partial")
        };
        for (a, b) in [(0, 1), (7, 7), (1000, 2024), (4999, 5000)] {
            let [left, middle, right] = [part(0..a), part(a..b), part(b..5000)];
            let by_the_left = left.clone().merge(middle.clone()).and_then(|front| front.merge(right.clone()));
            let by_the_right = middle.merge(right).and_then(|back| left.merge(back));
            for merged in [by_the_left, by_the_right] {
                let merged = merged.expect("parts in their order");
                assert!(merged.to_bytes().expect("bytes") == whole, "k = {k}, {a}, {b}");
                same(&merged.finish().expect("an answer"), &elements, &places(&elements, true), k as usize, "merged");
            }
        }
        let told = cpu.partial_at(op, &elements[3000..], 3000);
        let both = cpu.partial_at(op, &elements[..3000], 0).merge(told).expect("parts that know their places");
        assert_eq!(both.first(), Some(0));
        same(&both.finish().expect("an answer"), &elements, &places(&elements, true), k as usize, "told places");
    }
    let other = Cpu::new().partial(Top::new(3).expect("a k"), &elements);
    let refused = Cpu::new().partial(Top::new(4).expect("a k"), &elements).merge(other);
    assert!(refused.is_err_and(|error| error.to_string().contains("top(k=4)")));
}

#[test]
fn lengths_that_there_are() {
    assert_eq!(
        (Top::new(1).map(|top| top.k()).ok(), Bottom::new(1024).map(|bottom| bottom.k()).ok()),
        (Some(1), Some(1024))
    );
    for k in [0, 1025, u32::MAX] {
        let text = k.to_string();
        for refused in [Top::new(k).map(drop), Bottom::new(k).map(drop)] {
            let Err(Error::BadOption { option, value, rule, .. }) = refused else { panic!("{k}: {refused:?}") };
            assert_eq!((option.as_str(), value, rule.as_str()), ("k", text.clone(), "a whole number from 1 to 1024"));
        }
    }
    assert_eq!(Op::<f32>::signature(&Top::new(7).expect("a k")), "top(k=7)");
    assert_eq!(Op::<f32>::signature(&Bottom::default()), "bottom(k=10)");
}
