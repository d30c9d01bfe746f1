//! Axes of views: each answer is that of its elements alone, whatever the strides, the launch shape and the buffers.

use crate::common::*;
use treefold::half::f16;
use treefold::ops::*;
use treefold::{Axes, Error, Gpu, Input, Order, Tuning};

/// Columns that fill vectors and that do not, middle axes, axes before and behind, fields, transposed, backwards, repeated.
fn some_views() -> Vec<View> {
    vec![
        View::of(&[300, 16], &[0]),
        View::of(&[67, 33], &[0]),
        View::of(&[5, 2000], &[0]),
        View::of(&[2000, 3], &[0]),
        View::of(&[33, 67], &[-1]),
        View::of(&[500, 9], &[1]),
        View::of(&[45, 64], &[1]),
        View::strided(8, &[20, 48], &[64, 1], &[1]),
        View::of(&[9, 70, 8], &[1]),
        View::of(&[7, 13, 5], &[0, 2]),
        View::of(&[4, 6, 5, 7, 3], &[1, 3]),
        View::of(&[4, 6, 5, 7, 3], &[0, 2, -1]),
        View::of(&[30, 40], &[]),
        View::of(&[30, 40], &[0, 1]),
        View::of(&[1, 1], &[0]),
        View::of(&[0, 4], &[0]),
        View::of(&[0, 4], &[1]),
        // The second of three fields; transposed; every other element of every third row; backwards; one row for all.
        View::strided(1, &[900], &[3], &[0]),
        View::strided(0, &[40, 50], &[1, 40], &[0]),
        View::strided(0, &[40, 50], &[1, 40], &[1]),
        View::strided(5, &[20, 30], &[300, 2], &[1]),
        View::strided(2999, &[20, 50], &[-100, -2], &[0]),
        View::strided(0, &[4, 60], &[0, 1], &[1]),
        View::strided(0, &[20, 4, 8], &[32, 0, 1], &[0]),
        View::strided(0, &[24, 16], &[40, 1], &[0]),
    ]
}

/// Launch shapes under which rows of all these views are short, long, and in between.
fn some_shapes() -> Vec<Tuning> {
    let short = |most: u64| move |tuning: &mut Tuning| *tuning = tuning.each(|launch| launch.short_rows_max = most);
    let small = small();
    vec![
        small.with(short(1000)),
        small.groups(8, 5, 16).with(short(40)),
        small.groups(4, 3, 8).loads(1).with(short(0)).with(|tuning| tuning.order = Order::Blocked),
        small.with(short(40)).with(|tuning| (tuning.order, tuning.dispatch_bytes_max) = (Order::Blocked, 2048)),
    ]
}

/// All views by the adapter's own launch shape, and each by one of the others; or every other view by one of two.
#[track_caller]
fn everywhere(run: impl Fn(&Gpu, &[View]) -> Vec<String>) {
    by_shapes(&[], &some_shapes(), &some_views(), run);
}

#[test]
fn values() {
    by_all_shapes(&[], &some_shapes(), &some_views(), |gpu, some| views::<f32, _>(gpu, &FastSum, some));
    everywhere(|gpu, some| views::<i32, _>(gpu, &MinMax, some));
}

#[test]
fn numbers_of_64_bits() {
    by_shapes(&[], &[small()], &some_views(), |gpu, some| views::<f64, _>(gpu, &ArgMax, some));
    by_shapes(&[], &[small()], &some_views(), |gpu, some| views::<i64, _>(gpu, &(Sum, Or), some));
}

#[test]
fn other_widths() {
    everywhere(|gpu, some| views::<f16, _>(gpu, &Sum, some));
    everywhere(|gpu, some| views::<u64, _>(gpu, &TextHash, some));
}

#[test]
fn exact() {
    everywhere(|gpu, some| views::<f32, _>(gpu, &Sum, some));
    let both = (Sum, Variance { ddof: 1 });
    by_shapes(&[], &some_shapes(), &one_in(2, &some_views()), |gpu, some| views::<i32, _>(gpu, &both, some));
}

/// Variances of short rows, which those finish that have their accumulators.
#[test]
fn long_accumulators() {
    by_shapes(&[], &some_shapes(), &one_in(4, &some_views()), |gpu, some| views::<f32, _>(gpu, &Std { ddof: 1 }, some));
}

#[test]
fn places_count_within_an_answer() {
    everywhere(|gpu, some| views::<f32, _>(gpu, &ArgMax, some));
    everywhere(|gpu, some| views::<u32, _>(gpu, &WeightedSum, some));
}

#[test]
fn strict_orders() {
    everywhere(|gpu, some| views::<u32, _>(gpu, &TextHash, some));
    everywhere(|gpu, some| views::<f16, _>(gpu, &TextHash, some));
}

#[test]
fn histograms_and_tuples() {
    let histogram = Histogram::new(5, -1.0, 1.0).expect("a histogram");
    everywhere(|gpu, some| views::<f32, _>(gpu, &histogram, some));
    let large = (MinMax, Norm2, histogram.clone(), Sum);
    by_shapes(&[], &some_shapes(), &one_in(4, &some_views()), |gpu, some| views::<f32, _>(gpu, &large, some));
    everywhere(|gpu, some| views::<f32, _>(gpu, &(FastSum, ArgMin, FastMean), some));
}

#[test]
fn zipped() {
    let gpu = gpu();
    let dot = gpu.reducer::<[f32; 2], _>(Dot).expect("a reducer");
    let (x, y): (Vec<f32>, Vec<f32>) = (0..600u32).map(|i| (i as f32, (i % 7) as f32)).unzip();
    let (left, right) = (upload(&gpu, &x), upload(&gpu, &y));
    let pairs = Input::zip(&left, &right).expect("pairs");
    let got = dot.reduce_each(pairs.over(Axes::of(&[20, 30], &[0]).expect("axes"))).expect("answers");
    let want: Vec<f32> = (0..30).map(|c| (0..20).map(|r| x[r * 30 + c] * y[r * 30 + c]).sum()).collect();
    assert_eq!(got, want);
}

#[test]
fn short_bindings() {
    let small = small().with(|tuning| *tuning = tuning.each(|launch| launch.short_rows_max = 50));
    let gpu = small_gpu(1 << 14).with_tuning(small).expect("a launch shape");
    let large = [
        View::of(&[3000, 16], &[0]),
        View::of(&[16, 700], &[0]),
        View::of(&[90, 40, 5], &[1]),
        View::of(&[700, 13], &[1]),
        View::strided(0, &[200, 150], &[1, 200], &[1]),
        View::strided(0, &[200, 150], &[1, 200], &[0]),
    ];
    for failures in [
        views::<f32, _>(&gpu, &(Sum, ArgMin), &large),
        views::<f32, _>(&gpu, &FastSum, &large),
        views::<u32, _>(&gpu, &TextHash, &large),
    ] {
        assert!(failures.is_empty(), "{}", some(&failures));
    }
}

#[test]
fn views_that_do_not_fit_are_errors() {
    let gpu = gpu();
    let reducer = gpu.reducer::<f32, _>(FastSum).expect("a reducer");
    let buffer = upload(&gpu, &[1.0f32; 12]);
    let axes = || Axes::of(&[5, 3], &[0]).expect("axes");
    let error = reducer.reduce_each(Input::from(&buffer).over(axes())).expect_err("outside");
    assert!(matches!(error, Error::ViewOutside { low: 0, high: 14, elements: 12 }), "{error}");
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    let error = reducer.record_each(&mut encoder, Input::from(&buffer).over(axes()), &answers(&gpu, 6));
    assert!(matches!(error, Err(Error::ViewOutside { .. })), "{error:?}");
    let axes = Axes::of(&[4, 3], &[0]).expect("axes");
    let error = reducer.record_each(&mut encoder, Input::from(&buffer).over(axes), &answers(&gpu, 5));
    assert!(matches!(error, Err(Error::OutputTooSmall { needs: 24, bytes: 20, answers: 3, .. })), "{error:?}");
    // Nothing to answer.
    let axes = Axes::of(&[4, 0], &[0]).expect("axes");
    assert_eq!(reducer.reduce_each(Input::from(&buffer).over(axes)).expect("no answers"), Vec::<f32>::new());
}
