//! Covariance, correlation, weighted mean and cosine of pairs: exact sums, one rounding; against rational arithmetic.

use super::doors::through;
use super::exact::{on_a_device, on_the_host};
use crate::common::exactly::{Failures, inputs};
use crate::common::sets::Set;
use crate::common::{Random, all, assert_noticed, gpu, one_in, small, upload};
use treefold::ops::{Correlation, Cosine, Covariance, Dot, Kurtosis, Skewness, WeightedMean};
use treefold::{Cpu, Element, Error, Gpu, Input, Op};

/// Pairs that lie close to a line far from 0, so that nearly all of their sums cancels.
fn nearly_on_a_line(n: usize, seed: u64) -> Vec<[f64; 2]> {
    let mut random = Random(seed);
    let mut below = |most: u64| random.below(most) as f64;
    (0..n)
        .map(|_| below(1 << 20))
        .collect::<Vec<_>>()
        .into_iter()
        .map(|x| [1e15 + x, 3e15 - 3.0 * x + below(9)])
        .collect()
}

macro_rules! on_the_host {
    ($($number:ty: $longest:literal),+; $failures:ident) => {$(
        on_the_host::<[$number; 2], Covariance>($longest, &mut $failures);
        on_the_host::<[$number; 2], Correlation>($longest, &mut $failures);
        on_the_host::<[$number; 2], WeightedMean>($longest, &mut $failures);
        on_the_host::<[$number; 2], Cosine>($longest, &mut $failures);
    )+};
}

#[test]
fn the_host_engine() {
    let mut failures = Failures::default();
    on_the_host!(f32: 400, f64: 150, i64: 400, u64: 400; failures);
    failures.none();
}

#[test]
fn pairs_near_a_line() {
    let mut failures = Failures::default();
    for n in [2, 3, 999, 40_000] {
        let set = Set::new(format!("a line x {n}"), nearly_on_a_line(n, n as u64));
        let (cpu, x) = (Cpu::with_threads(2), &set.elements);
        let covariance = cpu.reduce(Covariance::default(), x).expect("an answer");
        failures.judge::<[f64; 2], Covariance>("a line", &set, covariance.map(|out| out.to_bits().into()));
        let correlation = cpu.reduce(Correlation, x).expect("an answer");
        failures.judge::<[f64; 2], Correlation>("a line", &set, correlation.map(|out| out.to_bits().into()));
        assert!(correlation.is_some_and(|r| (-1.0..-0.9).contains(&r)), "{n}: {correlation:?}");
    }
    failures.none();
}

/// Each fold over each type: of correlations all three, of means the one of a single number of each pair.
#[test]
fn on_devices() {
    let gpu = gpu().with_tuning(small()).expect("a launch shape");
    let mut failures = Failures::default();
    let step = if all() { 1 } else { 9 };
    on_a_device::<[f32; 2], Correlation>(&gpu, 1500, step, &mut failures);
    on_a_device::<[f32; 2], WeightedMean>(&gpu, 1500, step, &mut failures);
    on_a_device::<[f64; 2], WeightedMean>(&gpu, 700, step, &mut failures);
    on_a_device::<[i64; 2], Correlation>(&gpu, 1500, step, &mut failures);
    on_a_device::<[u64; 2], Covariance>(&gpu, 1500, step, &mut failures);
    if all() {
        on_a_device::<[f64; 2], Correlation>(&gpu, 700, step, &mut failures);
        on_a_device::<[f32; 2], Cosine>(&gpu, 1500, step, &mut failures);
        on_a_device::<[u64; 2], Cosine>(&gpu, 1500, step, &mut failures);
    }
    failures.none();
}

#[test]
fn through_every_door() {
    let mut failures = Failures::default();
    through::<[f32; 2], WeightedMean>(&inputs(300), 61, &mut failures);
    through::<[i64; 2], Correlation>(&inputs(300), 17, &mut failures);
    failures.none();
}

/// Words of products of whole numbers, read back: at the ends of 128 bits and beyond them.
#[test]
fn dots_of_whole_numbers_on_devices() {
    let gpu = gpu();
    for pairs in [
        vec![[i64::MIN, i64::MIN]],
        vec![[i64::MIN, i64::MAX], [i64::MIN, i64::MAX]],
        vec![[-1, 1], [1, 1], [i64::MAX, -7]],
        vec![],
    ] {
        let want = pairs.iter().map(|&[x, y]| i128::from(x) * i128::from(y)).sum::<i128>();
        assert_eq!(gpu.reduce(Dot, &pairs).expect("it fits"), want, "{pairs:?}");
    }
    for (pair, times) in [([i64::MIN, i64::MIN], 2), ([i64::MIN, i64::MAX], 3)] {
        let error = gpu.reduce(Dot, &vec![pair; times]).expect_err("more than 128 bits");
        assert!(matches!(error, Error::Overflow { .. }), "{error}");
    }
    let most = [u64::MAX; 2];
    assert_eq!(gpu.reduce(Dot, &[most, [u64::MAX, 2]]).expect("it fits"), u128::MAX);
    assert!(matches!(gpu.reduce(Dot, &[most, most]), Err(Error::Overflow { .. })));
}

/// Products of whole numbers have no self-test: the comparison with the host notices.
#[test]
fn wrong_products_of_whole_numbers_are_noticed() {
    let mut random = Random(9);
    let pairs: Vec<[u64; 2]> =
        (0..300).map(|at| [random.next() >> (at % 5), random.next()]).chain([[u64::MAX; 2]]).collect();
    let signed: Vec<[i64; 2]> = pairs.iter().map(|pair| pair.map(|x| x as i64 >> 5)).collect();
    let cpu = Cpu::with_threads(1);
    let want = (cpu.reduce(WeightedMean, &pairs).ok(), cpu.reduce(Dot, &signed).ok());
    let noticed = |gpu: &Gpu| {
        let found = (gpu.reduce(WeightedMean, &pairs).ok(), gpu.reduce(Dot, &signed).ok());
        found != want
    };
    assert!(!noticed(&gpu()));
    let changes = [
        ("vec2<u32>(low.y, 0u)", "vec2<u32>()"),
        ("vec2<u32>(one.x, 0u)", "vec2<u32>()"),
        ("vec2<u32>(one.y, 0u)", "vec2<u32>()"),
        ("vec2<u32>(other.y, 0u)", "vec2<u32>()"),
        ("b & vec2<u32>(above_of(a.y))", "vec2<u32>()"),
        ("a & vec2<u32>(above_of(b.y))", "vec2<u32>()"),
        ("add64(add64(words.zw, ~over), vec2<u32>(1u, 0u))", "add64(words.zw, ~over)"),
        ("let above = above_of(product.w);", "let above = 0u;"),
    ];
    assert_noticed(small(), &one_in(3, &changes), noticed);
}

/// Accumulators of three long sums and more are by whole inputs, rows and axes on a device; of segments and groups it says so, and the CPU has them.
#[test]
fn long_sums_by_segments_and_groups_are_the_cpus() {
    fn refused<T: Element, O: Op<T>>(op: O, elements: &[T]) {
        let (gpu, offsets, keys) = (gpu(), [0u32, 2, 2, 5], [1u32, 0, 1, 0, 0]);
        let (reducer, buffer) = (gpu.reducer::<T, O>(op.clone()).expect("a reducer"), upload(&gpu, elements));
        let keys = upload(&gpu, &keys);
        let input = || Input::<T>::range(&buffer, 0..5);
        let by_segments = reducer.reduce_each(input().segments(&offsets[..])).map(drop).expect_err("too long");
        let by_groups =
            reducer.reduce_groups(input(), Input::<u32>::range(&keys, 0..5), 2).map(drop).expect_err("too long");
        let count = upload(&gpu, &[3u32]);
        let counted = input().counted(Input::<u32>::range(&count, 0..1));
        let by_count = reducer.reduce_each(counted).map(drop).expect_err("too long");
        for error in [by_segments, by_groups, by_count] {
            assert!(matches!(error, Error::NotBySegments { operator } if operator == op.name()), "{error}");
        }
        let cpu = Cpu::with_threads(2);
        let alone = |of: &[T]| format!("{:?}", cpu.reduce(op.clone(), of).expect("an answer"));
        let want = [&elements[..2], &[], &elements[2..]].map(alone);
        let all = cpu.reduce_segments(op.clone(), elements, &[0, 2, 2, 5]).expect("answers");
        assert_eq!(all.iter().map(|answer| format!("{answer:?}")).collect::<Vec<_>>(), want);
        let rows = gpu.reducer::<T, O>(op.clone()).expect("a reducer").reduce_each(input().rows(5)).expect("answers");
        assert_eq!(rows.iter().map(|answer| format!("{answer:?}")).collect::<Vec<_>>(), [alone(elements)]);
    }
    let numbers = [1.5f32, -2.0, 7.0, 0.25, 1e10];
    let pairs = [[1.5f64, 2.0], [-3.0, 1e100], [0.0, 7.0], [1e-200, 5.0], [2.0, -1.0]];
    refused(Skewness, &numbers);
    refused(Kurtosis, &numbers);
    refused(Covariance { ddof: 1 }, &pairs);
    refused(Correlation, &pairs);
    refused(Cosine, &pairs);
}
