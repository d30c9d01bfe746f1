//! Rows of one length: each answer is that of the row alone, whatever the launch shape, the start and the buffers.

use crate::common::*;
use treefold::ops::*;
use treefold::{Error, Gpu, Input, Order, Tuning};

/// Rows that end within a vector, a workgroup, a tile, a grid and a binding.
const LENGTHS: [usize; 22] =
    [1, 2, 3, 4, 5, 7, 8, 31, 33, 64, 100, 101, 127, 256, 300, 511, 768, 1000, 1537, 2049, 3001, 5003];

fn some_shapes() -> Vec<Tuning> {
    let small = small();
    // Short rows in workgroups of their own too.
    let apart = |tuning: &mut Tuning| *tuning = tuning.each(|launch| launch.short_rows_max = 0);
    let blocked = |tuning: &mut Tuning| (tuning.order, tuning.own_bins_max) = (Order::Blocked, u64::MAX);
    vec![
        small,
        small.groups(8, 5, 16).with(|tuning| tuning.subgroups = false).with(apart),
        small.groups(4, 3, 8).loads(1).with(blocked).with(apart),
        small.with(|tuning| tuning.dispatch_bytes_max = 1024),
    ]
}

/// All lengths by the shapes and by the adapter's own; or every other length by one of two.
#[track_caller]
fn everywhere(run: impl Fn(&Gpu, &[usize]) -> Vec<String>) {
    by_shapes(&some_shapes(), &[], &LENGTHS, run);
}

#[test]
fn sums() {
    by_all_shapes(&some_shapes(), &[], &LENGTHS, |gpu, some| rows::<f32, _>(gpu, &FastSum, some));
    everywhere(|gpu, some| rows::<f32, _>(gpu, &Sum, some));
    by_shapes(&some_shapes(), &[], &LENGTHS[..14], |gpu, some| rows::<u64, _>(gpu, &Sum, some));
}

#[test]
fn places_count_from_the_row() {
    everywhere(|gpu, some| rows::<i32, _>(gpu, &ArgMin, some));
    everywhere(|gpu, some| rows::<f64, _>(gpu, &ArgMax, some));
    everywhere(|gpu, some| rows::<u32, _>(gpu, &WeightedSum, some));
}

#[test]
fn strict_orders() {
    everywhere(|gpu, some| rows::<u32, _>(gpu, &TextHash, some));
    everywhere(|gpu, some| rows::<u64, _>(gpu, &TextHash, some));
    everywhere(|gpu, some| rows::<treefold::half::f16, _>(gpu, &TextHash, some));
}

#[test]
fn histograms() {
    let op = Histogram::new(37, -0.5, 0.7).expect("a histogram");
    everywhere(|gpu, some| rows::<f32, _>(gpu, &op, some));
}

/// Partials of several rows where each has its counters in one stretch: in slices, and in the device's memory.
#[test]
fn histograms_of_many_bins() {
    let op = Histogram::new(9000, -0.5, 0.7).expect("a histogram");
    for slices in [44, 1] {
        let gpu = gpu().with_tuning(small().with(|tuning| tuning.slices_max = slices)).expect("a launch shape");
        none(rows::<f32, _>(&gpu, &op, &[3001, 1500, 1000]), &gpu);
    }
}

#[test]
fn tuples_with_exact_members() {
    everywhere(|gpu, some| rows::<f32, _>(gpu, &(Sum, ArgMax, Mean), some));
    let histogram = Histogram::new(5, -1.0, 1.0).expect("a histogram");
    let large = (MinMax, Norm2, histogram, Sum);
    by_shapes(&some_shapes(), &[], &one_in(3, &LENGTHS), |gpu, some| rows::<f32, _>(gpu, &large, some));
}

#[test]
fn short_bindings() {
    let gpu = small_gpu(1 << 14).with_tuning(small()).expect("a launch shape");
    none(rows::<f32, _>(&gpu, &(Sum, ArgMin), &LENGTHS), &gpu);
    none(rows::<u32, _>(&gpu, &TextHash, &LENGTHS), &gpu);
}

#[test]
fn ragged_rows_are_errors_and_no_rows_are_no_answers() {
    let gpu = gpu();
    let reducer = gpu.reducer::<f32, _>(FastSum).expect("a reducer");
    let buffer = upload(&gpu, &[1.0f32; 12]);
    for length in [0, 5, 13] {
        let error = reducer.reduce_each(Input::range(&buffer, 0..12).rows(length)).expect_err("ragged");
        assert!(matches!(error, Error::RaggedRows { elements: 12, length: l } if l == length), "{error}");
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        let place = answers(&gpu, 32);
        let error = reducer.record_each(&mut encoder, Input::range(&buffer, 0..12).rows(length), &place);
        assert!(matches!(error, Err(Error::RaggedRows { .. })), "{error:?}");
    }
    assert_eq!(reducer.reduce_each(Input::range(&buffer, 4..4).rows(3)).expect("no rows"), Vec::<f32>::new());
    let place = answers(&gpu, 5);
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    let error = reducer.record_each(&mut encoder, Input::range(&buffer, 0..12).rows(4), &place).err();
    assert!(matches!(error, Some(Error::OutputTooSmall { needs: 24, bytes: 20, .. })), "{error:?}");
}

#[test]
fn what_is_warm_compiles_nothing_more() {
    // A device of its own: others share their pipelines.
    let gpu = Gpu::new().expect("a GPU or lavapipe");
    let values: Vec<i32> = (0..3000).collect();
    let keys: Vec<u32> = (0..3000).map(|at| at % 7).collect();
    let offsets: Vec<u32> = (0..=30).map(|at| at * 100).collect();
    let (values, keys, offsets) = (upload(&gpu, &values), upload(&gpu, &keys), upload(&gpu, &offsets));
    let axes = treefold::Axes::of(&[30, 100], &[0]).unwrap();
    let all = || {
        let input = || Input::<i32>::from(&values);
        [input().rows(100), input().over(axes.clone()), input().segments(&offsets), input().groups(&keys, 7)]
    };
    let most = gpu.reducer::<i32, _>(Max).unwrap();
    let room = upload(&gpu, &[0i32; 400]);
    let mut made = gpu.pipelines();
    for (warm, recorded) in all().into_iter().zip(all()) {
        most.warm_up(warm).unwrap();
        assert!(gpu.pipelines() > made, "nothing was left to compile");
        made = gpu.pipelines();
        most.prepare_each(recorded.clone(), treefold::Output::bare(&room)).unwrap();
        most.prepare_each(recorded, &room).unwrap();
        assert_eq!(gpu.pipelines(), made);
    }
    let ragged = most.warm_up(Input::from(&values).rows(7));
    assert!(matches!(ragged, Err(Error::RaggedRows { .. })), "{ragged:?}");
}
