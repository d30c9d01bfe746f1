//! Segments by offsets: each answer is that of its elements alone, whatever the lengths, the launch shape and the buffers.

use crate::common::*;
use treefold::half::f16;
use treefold::ops::*;
use treefold::{Error, Gpu, Input, Order, Tuning};

/// Offsets of segments of these lengths, behind so many elements that belong to none and before as many.
fn of(before: u32, lengths: impl IntoIterator<Item = u32>, behind: u32) -> Lengths {
    let mut offsets = vec![before];
    offsets.extend(lengths.into_iter().scan(before, |at, length| {
        *at += length;
        Some(*at)
    }));
    ((offsets[offsets.len() - 1] + behind) as usize, offsets)
}

/// All zeros, all ones, one giant, of one length each, mixes, empty at both ends and in the middle, none.
fn some_segments() -> Vec<Lengths> {
    let mut random = Random(99);
    let mix = |random: &mut Random, n: usize, bits: u32| -> Vec<u32> {
        (0..n).map(|_| random.next() as u32 % (1 << (random.next() as u32 % bits))).collect()
    };
    let (short, long) = (mix(&mut random, 900, 5), mix(&mut random, 60, 13));
    vec![
        of(0, [], 0),
        of(0, [], 9),
        of(0, [0], 0),
        of(0, [1], 0),
        of(0, vec![0; 700], 0),
        of(5, vec![0; 700], 5),
        of(0, vec![1; 3000], 0),
        of(3, vec![2; 1501], 1),
        of(0, vec![3; 999], 0),
        of(1, vec![4; 1000], 2),
        of(0, vec![31; 130], 0),
        of(2, vec![64; 77], 0),
        of(0, vec![129; 50], 3),
        of(0, [20_000], 0),
        of(7, [0, 0, 15_000, 0, 0], 11),
        of(0, [1, 9000, 1, 1, 9000, 0, 2], 0),
        of(0, short, 0),
        of(4, long, 17),
        // Of two buffers the second begins one or two elements behind the last offset.
        of(0, vec![4; 150], 1200),
        of(0, [600], 1203),
        of(10, [], 23),
        // Shares of some steps, and of segments that are much longer than others.
        of(0, vec![40; 1500], 0),
        of(0, [vec![0; 5000], vec![3], vec![0; 5000], vec![700, 1], vec![0; 300]].concat(), 0),
    ]
}

/// Launch shapes of many small shares and of few large ones, by subgroups and by single invocations.
fn some_shapes() -> Vec<Tuning> {
    let few = Tuning::GPU.with(|tuning| tuning.fold.workgroups_max = 1);
    vec![
        few.loads(1),
        few.with(|tuning| (tuning.subgroups, tuning.single_workgroup_size) = (false, 16)),
        small().with(|tuning| (tuning.order, tuning.dispatch_bytes_max) = (Order::Blocked, 2048)),
    ]
}

/// All segments by subgroups and by the adapter's own launch shape, and each by one of the others; or every other one by one of two.
#[track_caller]
fn everywhere(run: impl Fn(&Gpu, &[Lengths]) -> Vec<String>) {
    by_shapes(&[Tuning::GPU], &some_shapes(), &some_segments(), run);
}

#[test]
fn sums() {
    let sum = |gpu: &Gpu, some: &[Lengths]| segments::<f32, _>(gpu, &FastSum, some);
    by_all_shapes(&[Tuning::GPU], &some_shapes(), &some_segments(), sum);
}

#[test]
fn integers() {
    everywhere(|gpu, some| segments::<i32, _>(gpu, &MinMax, some));
}

#[test]
fn numbers_of_64_bits() {
    by_shapes(&[], &[small()], &some_segments(), |gpu, some| segments::<f64, _>(gpu, &ArgMin, some));
    by_shapes(&[], &[small()], &some_segments(), |gpu, some| segments::<i64, _>(gpu, &(Sum, Or), some));
}

#[test]
fn other_widths() {
    everywhere(|gpu, some| segments::<f16, _>(gpu, &SetHash, some));
    everywhere(|gpu, some| segments::<u64, _>(gpu, &SetHash, some));
}

#[test]
fn exact() {
    everywhere(|gpu, some| segments::<f32, _>(gpu, &Sum, some));
}

#[test]
fn answers_over_several_accumulators() {
    everywhere(|gpu, some| segments::<i32, _>(gpu, &(Sum, Variance { ddof: 1 }), some));
}

/// The accumulators of variances: those of few segments go through memory, those of more than a binding holds do not.
#[test]
fn answers_over_long_accumulators() {
    let some =
        [of(0, vec![40; 1500], 0), of(3, vec![2; 1501], 1), of(7, [0, 0, 15_000, 0, 0], 11), of(0, [1, 900, 0], 0)];
    let gpu = short_bindings(1 << 16);
    none(segments::<f32, _>(&gpu, &Std { ddof: 1 }, &some), &gpu);
    let serial = gpu.with_tuning(small().with(|tuning| tuning.subgroups = false)).expect("a launch shape");
    none(segments::<f32, _>(&serial, &Variance { ddof: 0 }, &some), &serial);
}

#[test]
fn places() {
    everywhere(|gpu, some| segments::<f32, _>(gpu, &(ArgMin, FastVariance { ddof: 1 }), some));
    everywhere(|gpu, some| segments::<u32, _>(gpu, &WeightedSum, some));
}

#[test]
fn orders() {
    everywhere(|gpu, some| segments::<u32, _>(gpu, &TextHash, some));
}

/// Offsets in a buffer that fall come to an end, soon, and spoil no others: what is answered behind them is right.
#[test]
fn offsets_that_fall_end() {
    const N: u32 = 60_000;
    let rising: Vec<u32> = (0..=N / 64).map(|s| s * 64).collect();
    let half = |s: usize, at: u32| if s > 400 && s.is_multiple_of(2) { 0 } else { at };
    let fall: Vec<u32> = rising.iter().enumerate().map(|(s, &at)| half(s, at)).collect();
    let back: Vec<u32> = rising.iter().rev().copied().collect();
    for tuning in [Tuning::GPU, small()] {
        let gpu = gpu().with_tuning(tuning).expect("a launch shape");
        let elements = upload(&gpu, &vec![1u32; N as usize]);
        let sum = gpu.reducer::<u32, _>(WrappingSum).expect("a reducer");
        for (offsets, rises) in [(&fall, false), (&back, false), (&rising, true)] {
            let there = upload(&gpu, offsets);
            let each = Input::<u32>::range(&elements, 0..N.into())
                .segments(Input::<u32>::range(&there, 0..offsets.len() as u64));
            match sum.reduce_each(each) {
                Ok(answers) => assert!(!rises || answers == vec![64; rising.len() - 1], "{:?}", gpu.tuning()),
                Err(error) => assert!(!rises && matches!(error, Error::ResultMissing), "{error:?}"),
            }
        }
    }
}
