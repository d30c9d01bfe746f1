//! Reductions by keys that are not sorted.

use crate::common::*;
use treefold::half::f16;
use treefold::ops::*;
use treefold::{Cpu, Engine, Error, Gpu, Input, StreamOptions, Tuning};

/// None, one group, few, as many as an invocation holds, one more, more than there are elements; with keys of nobody and without.
fn some_groups() -> Vec<Spread> {
    vec![
        (0, 3, 0),
        (1, 1, 0),
        (1, 2, 1),
        (3000, 1, 1),
        (9000, 3, 2),
        (5000, 31, 0),
        (5000, 32, 5),
        (4000, 33, 0),
        (6000, 100, 50),
        (50, 300, 300),
        (257, 8, 8),
    ]
}

fn some_shapes() -> [Tuning; 3] {
    [
        small(),
        small().with(|tuning| (tuning.subgroups, tuning.dispatch_bytes_max) = (false, 4096)),
        Tuning::GPU.loads(1).with(|tuning| tuning.fold.workgroups_max = 2),
    ]
}

#[track_caller]
fn everywhere(run: impl Fn(&Gpu, &[Spread]) -> Vec<String>) {
    by_shapes(&[Tuning::GPU], &some_shapes(), &some_groups(), run);
}

#[test]
fn sums() {
    let sum = |gpu: &Gpu, some: &[Spread]| groups::<f32, _>(gpu, &FastSum, some);
    by_all_shapes(&[Tuning::GPU], &some_shapes(), &some_groups(), sum);
    everywhere(|gpu, some| groups::<i32, _>(gpu, &MinMax, some));
}

/// Accumulators of one word and of two, which a workgroup shares, and both in one.
#[test]
fn in_cells() {
    let few: Vec<Spread> = vec![(0, 3, 0), (9000, 3, 2), (5000, 31, 4), (300, 1, 1)];
    let apart = small().with(|tuning| tuning.dispatch_bytes_max = 4096);
    by_shapes(&[Tuning::GPU], &[small()], &some_groups(), |gpu, some| groups::<f32, _>(gpu, &Max, some));
    by_shapes(&[Tuning::GPU], &[small(), apart], &few, |gpu, some| groups::<i32, _>(gpu, &Sum, some));
    by_shapes(&[Tuning::GPU], &[small()], &few, |gpu, some| groups::<u32, _>(gpu, &(And, Xor, CountNonzero), some));
    by_shapes(&[Tuning::GPU], &[small()], &few, |gpu, some| groups::<f32, _>(gpu, &(Any, MinMax), some));
}

#[test]
fn numbers_of_64_bits() {
    by_shapes(&[], &[small()], &some_groups(), |gpu, some| groups::<f64, _>(gpu, &MinMax, some));
    by_shapes(&[], &[small()], &some_groups(), |gpu, some| groups::<u64, _>(gpu, &(Sum, Max), some));
}

#[test]
fn other_widths() {
    everywhere(|gpu, some| groups::<f16, _>(gpu, &SetHash, some));
    everywhere(|gpu, some| groups::<u64, _>(gpu, &SetHash, some));
}

#[test]
fn exact() {
    let few: Vec<Spread> = vec![(3000, 1, 1), (5000, 5, 2), (300, 37, 4), (6000, 200, 9)];
    by_shapes(&[Tuning::GPU], &[small()], &few, |gpu, some| groups::<f32, _>(gpu, &Sum, some));
    by_shapes(&[Tuning::GPU], &[small()], &few, |gpu, some| groups::<f32, _>(gpu, &(Max, Mean), some));
}

/// Sums of each special value and of zeros alone.
#[test]
fn exact_specials() {
    let failures = special_groups(&gpu());
    assert!(failures.is_empty(), "{}", some(&failures));
}

#[test]
fn answers_over_several_accumulators() {
    everywhere(|gpu, some| groups::<i32, _>(gpu, &(Sum, Variance { ddof: 1 }), some));
    everywhere(|gpu, some| groups::<f32, _>(gpu, &(FastMean, Max), some));
}

/// A place is that in the whole input, on every engine and in streams.
#[test]
fn places() {
    let keys: Vec<u32> = (0..5000).map(|i| i * 7 % 11).collect();
    let values: Vec<i32> = (0..5000).map(|i| (i * 37) % 1000 - 500).collect();
    let largest = |group: u32| {
        let mut best: Option<(usize, i32)> = None;
        for (at, _) in keys.iter().enumerate().filter(|&(_, &key)| key == group) {
            if best.is_none_or(|(_, value)| values[at] > value) {
                best = Some((at, values[at]));
            }
        }
        best.map(|(at, _)| at as u64)
    };
    let want: Vec<Option<u64>> = (0..12).map(largest).collect();
    let gpu = gpu();
    let (of_values, of_keys) = (upload(&gpu, &values), upload(&gpu, &keys));
    let argmax = gpu.reducer::<i32, _>(ArgMax).expect("a reducer");
    let places = |found: Vec<Option<Found<i32>>>| {
        found.into_iter().map(|found| found.map(|found| found.index)).collect::<Vec<_>>()
    };
    let found = argmax.reduce_each(Input::from(&of_values).groups(&of_keys, 12)).expect("answers");
    assert_eq!(places(found), want);
    let found = Cpu::new().reduce_groups(ArgMax, &keys, &values, 12).expect("answers");
    assert_eq!(places(found.answers), want);
    for engine in [Engine::Gpu(gpu.clone()), Engine::Cpu(Cpu::with_threads(2))] {
        let mut stream = engine.stream_groups(ArgMax, 12, &StreamOptions::default()).expect("a stream");
        for (keys, values) in keys.chunks(700).zip(values.chunks(700)) {
            stream.push(keys, values).expect("room");
        }
        assert_eq!(places(stream.finish().expect("answers").answers), want);
    }
}

/// Elements that are lifted by their places are lifted by those in the whole input.
#[test]
fn lifted_by_places() {
    let keys: Vec<u32> = (0..3000).map(|i| i * 5 % 7).collect();
    let values: Vec<i32> = (0..3000).map(|i| i * i % 101).collect();
    let sign = |at: usize| if at.is_multiple_of(2) { 1 } else { -1 };
    let sum = |group: u32| {
        let of = keys.iter().enumerate().filter(|&(_, &key)| key == group);
        of.map(|(at, _)| sign(at) * values[at]).sum::<i32>() as u32
    };
    let want: Vec<u32> = (0..9).map(sum).collect();
    let gpu = gpu();
    let reducer = gpu.reducer::<i32, _>(Alternating).expect("a reducer");
    let (of_values, of_keys) = (upload(&gpu, &values), upload(&gpu, &keys));
    assert_eq!(reducer.reduce_groups(&of_values, &of_keys, 9).expect("answers").answers, want);
    assert_eq!(Cpu::new().reduce_groups(Alternating, &keys, &values, 9).expect("answers").answers, want);
}

/// More groups than one submission takes.
#[test]
fn many_groups() {
    let keys: Vec<u32> = (0..2000).map(|i| i * 977 % 20_000).collect();
    let values: Vec<u32> = (0..2000).collect();
    let gpu = gpu().with_tuning(small()).expect("a launch shape");
    let (of_values, of_keys) = (upload(&gpu, &values), upload(&gpu, &keys));
    let max = gpu.reducer::<u32, _>(Max).expect("a reducer");
    let found = max.reduce_groups(&of_values, &of_keys, 20_000).expect("answers");
    assert_eq!(found, Cpu::new().reduce_groups(Max, &keys, &values, 20_000).expect("answers"));
    let beyond = max.reduce_each(Input::<u32>::from(&of_values).groups(&of_keys, (1 << 32) + 1));
    assert!(matches!(beyond, Err(Error::GroupsTooMany { .. })));
}

#[test]
fn streams_of_halves() {
    let values: Vec<f16> = (0..999).map(|i| f16::from_f32((i % 50) as f32)).collect();
    let keys: Vec<u32> = (0..999).map(|i| i % 4).collect();
    let mut found = Vec::new();
    for engine in [Engine::Gpu(gpu()), Engine::Cpu(Cpu::with_threads(2))] {
        let mut stream = engine.stream_groups(Sum, 3, &StreamOptions::default()).expect("a stream");
        stream.push(&keys[..333], &values[..333]).expect("room");
        stream.push(&keys[333..], &values[333..]).expect("room");
        found.push(stream.finish().expect("answers"));
    }
    assert_eq!(found[0], found[1]);
    assert_eq!((found[0].counts.clone(), found[0].outside), (vec![250, 250, 250], 249));
}

#[test]
fn bad_input_is_told() {
    let gpu = gpu();
    let values = upload(&gpu, &[1u32; 64]);
    let whole = || Input::<u32>::from(&values);
    let text = gpu.reducer::<u32, _>(TextHash).expect("a reducer");
    assert!(matches!(text.reduce_each(whole().groups(&values, 2)), Err(Error::OrderOfGroups)));
    assert!(matches!(Cpu::new().reduce_groups(TextHash, &[1], &[1u32], 2), Err(Error::OrderOfGroups)));
    let sum = gpu.reducer::<u32, _>(Sum).expect("a reducer");
    let short = sum.reduce_each(whole().groups(Input::range(&values, 0..9), 2));
    assert!(matches!(short, Err(Error::Unequal { left: 64, right: 9 })), "{short:?}");
    assert!(matches!(Cpu::new().reduce_groups(Sum, &[1], &[1u32, 2], 2), Err(Error::Unequal { left: 1, right: 2 })));
    assert!(sum.reduce_each(whole().groups(&values, 0)).expect("no answers").is_empty());
    let many = sum.prepare_each(whole().groups(&values, 1 << 40), &values);
    assert!(matches!(many, Err(Error::GroupsTooMany { .. })), "{many:?}");
    let short = sum.partials_each(whole().groups(Input::range(&values, 0..9), 2));
    assert!(matches!(short, Err(Error::Unequal { left: 64, right: 9 })), "{short:?}");
    assert!(matches!(Cpu::new().partials_groups(TextHash, &[1], &[1u32], 2), Err(Error::OrderOfGroups)));
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    let in_place = sum.record_each(&mut encoder, whole().groups(&values, 2), &values);
    assert!(matches!(in_place, Err(Error::SegmentsInPlace | Error::Overlap { .. })), "{in_place:?}");
}
