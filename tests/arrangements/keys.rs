//! Reductions by runs of equal keys.

use crate::common::*;
use treefold::half::f16;
use treefold::ops::*;
use treefold::{ByKey, Cpu, Error, Input, Key, Output, Tuning};

/// Runs of these lengths, neighbours apart.
fn of<K: Key>(lengths: impl IntoIterator<Item = usize>, keys: &[K]) -> Vec<K> {
    lengths.into_iter().enumerate().flat_map(|(run, n)| vec![keys[run % keys.len()]; n]).collect()
}

/// None, one, one each, all alike, short ones, long ones, mixes, around a tile of 32 and of 8,192.
fn some_runs<K: Key>(keys: &[K]) -> Vec<Vec<K>> {
    let mut random = Random(5);
    let mix: Vec<usize> = (0..300).map(|_| 1 + random.next() as usize % (1 << (random.next() % 8))).collect();
    vec![
        vec![],
        of([1], keys),
        of([20_000], keys),
        of([1; 3000], keys),
        of([4; 2100], keys),
        of([31, 1, 32, 33, 64, 8000, 31, 8192, 1], keys),
        of(mix, keys),
    ]
}

#[track_caller]
fn everywhere(run: impl Fn(&treefold::Gpu) -> Vec<String>) {
    let few = Tuning::GPU.with(|tuning| (tuning.fold.workgroups_max, tuning.subgroups) = (1, false));
    for tuning in [None, Some(few)] {
        let gpu = tuning.map_or_else(gpu, |tuning| gpu().with_tuning(tuning).expect("a launch shape"));
        let failures = run(&gpu);
        assert!(failures.is_empty(), "{:?}: {}", gpu.tuning(), some(&failures));
    }
}

#[test]
fn integers() {
    everywhere(|gpu| runs::<u32, f32, _>(gpu, &FastSum, &some_runs(&[3, 0, u32::MAX, 3, 7])));
    everywhere(|gpu| runs::<i64, u32, _>(gpu, &TextHash, &some_runs(&[1, 1 << 32, -1, i64::MIN, (1 << 32) | 1])));
}

#[test]
fn exact_and_several() {
    everywhere(|gpu| runs::<i32, f32, _>(gpu, &Sum, &some_runs(&[-1, 1])));
    everywhere(|gpu| runs::<u64, i32, _>(gpu, &(Sum, Variance { ddof: 1 }), &some_runs(&[9, 8])));
}

/// Every NaN is one key, and so are both zeros; what differs in the last bit is not.
#[test]
fn floats() {
    let nan = [f32::NAN, f32::from_bits(0xffc0_0001), f32::from_bits(0x7f80_0001)];
    let keys = [&nan[..], &[0.0, -0.0, 1.0, 1.0 + f32::EPSILON, f32::INFINITY], &nan[..1], &[-0.0, 1e-45]].concat();
    let one_each = [keys.clone(), of([5; 40], &keys)];
    everywhere(|gpu| runs::<f32, i32, _>(gpu, &MinMax, &one_each));
    let got = Cpu::new().reduce_by_key(Sum, &keys, &vec![1i32; keys.len()]).expect("answers");
    assert_eq!(got.iter().map(|(_, sum)| *sum).collect::<Vec<_>>(), [3, 2, 1, 1, 1, 1, 1, 1]);
    let nan = [f64::NAN, f64::from_bits(0xfff0_0000_0000_0001), f64::from_bits(0x7ff0_0001_0000_0000)];
    let keys = [&nan[..], &[0.0, -0.0, 1.0, 1.0 + f64::EPSILON, f64::INFINITY, -f64::INFINITY, 5e-324, 0.0]].concat();
    let one_each = [keys.clone(), of([5; 40], &keys)];
    everywhere(|gpu| runs::<f64, i32, _>(gpu, &MinMax, &one_each));
}

#[test]
fn bad_input_is_told() {
    let gpu = gpu();
    let values = upload(&gpu, &[1.0f32; 8]);
    let keys = upload(&gpu, &[1u32; 8]);
    let sum = gpu.reducer::<f32, _>(FastSum).expect("a reducer");
    let of_keys = || Input::<u32>::from(&keys);
    let unequal = sum.reduce_by_key(Input::<u32>::range(&keys, 0..7), &values);
    assert!(matches!(unequal, Err(Error::Unequal { left: 7, right: 8 })), "{unequal:?}");
    let unequal = Cpu::new().reduce_by_key(FastSum, &[1u32], &[1.0f32, 2.0]);
    assert!(matches!(unequal, Err(Error::Unequal { left: 1, right: 2 })), "{unequal:?}");
    let apart = Input::concat([Input::<u32>::range(&keys, 0..4), Input::range(&keys, 4..8)]);
    assert!(matches!(sum.reduce_by_key(apart, &values), Err(Error::KeysApart { ranges: 2 })));
    let narrow = sum.reduce_by_key(Input::<f16>::range(&keys, 0..8), &values);
    assert!(matches!(narrow, Err(Error::NarrowKeys { dtype: "f16" })), "{narrow:?}");
    let (place, other) = (answers(&gpu, 32), answers(&gpu, 32));
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    let mut record = |answers: &treefold::wgpu::Buffer, keys: &treefold::wgpu::Buffer, number: Output| {
        sum.record_by_key(
            &mut encoder,
            of_keys(),
            &values,
            ByKey { answers: answers.into(), keys: keys.into(), number },
        )
    };
    assert!(matches!(record(&place, &keys, (&other).into()), Err(Error::SegmentsInPlace | Error::Overlap { .. })));
    assert!(matches!(record(&values, &other, (&place).into()), Err(Error::SegmentsInPlace | Error::Overlap { .. })));
    assert!(matches!(record(&place, &other, place.slice(64..68).into()), Err(Error::SegmentsInPlace)));
    record(&place, &other, other.slice(64..68).into()).expect("keys and their number in one buffer");
    assert!(matches!(record(&place, &other, other.slice(28..32).into()), Err(Error::OutputsOverlap { .. })));
    assert!(matches!(record(&place, &place, (&other).into()), Err(Error::OutputsOverlap { .. })));
    assert!(matches!(record(&place, &values, (&other).into()), Err(Error::Overlap { .. })));
    assert!(matches!(record(&place, &other, values.slice(0..4).into()), Err(Error::Overlap { .. })));
    // Without an answer on the device.
    let none = gpu.reducer::<f32, _>(FastStats::default()).expect("a reducer");
    let to = ByKey { answers: Output::bare(&place), keys: (&other).into(), number: other.slice(64..68).into() };
    assert!(matches!(none.prepare_by_key(of_keys(), &values, to), Err(Error::NoDeviceAnswer { .. })));
}
