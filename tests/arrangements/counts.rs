//! Lengths, rows and segments of which the device alone knows how many there are.

use crate::common::*;
use treefold::half::f16;
use treefold::ops::*;
use treefold::{Axes, DeviceCount, Error, Gpu, Input, Order, Output, Tuning};

/// None, some, all, and more than there is room for; of short rows, long ones, many, and one.
fn some_counts() -> Vec<Room> {
    vec![
        (1, 1, 0),
        (1, 1, 1),
        (1, 9000, u32::MAX),
        (3, 7, 2),
        (70, 33, 0),
        (70, 33, 1),
        (70, 33, 69),
        (70, 33, 70),
        (70, 33, 71),
        (70, 33, u32::MAX),
        (900, 5, 333),
        (2000, 1, 1999),
        (4, 3000, 3),
        (17, 512, 16),
    ]
}

fn some_shapes() -> [Tuning; 3] {
    let few = Tuning::GPU.with(|tuning| tuning.fold.workgroups_max = 1);
    [
        few.loads(1),
        few.with(|tuning| (tuning.subgroups, tuning.single_workgroup_size) = (false, 16)),
        small().with(|tuning| (tuning.order, tuning.dispatch_bytes_max) = (Order::Blocked, 2048)),
    ]
}

#[track_caller]
fn everywhere(run: impl Fn(&Gpu, &[Room]) -> Vec<String>) {
    by_shapes(&[Tuning::GPU], &some_shapes(), &some_counts(), run);
}

#[test]
fn sums() {
    let sum = |gpu: &Gpu, some: &[Room]| counts::<f32, _>(gpu, &FastSum, some);
    by_all_shapes(&[Tuning::GPU], &some_shapes(), &some_counts(), sum);
    everywhere(|gpu, some| counts::<f16, _>(gpu, &SetHash, some));
}

#[test]
fn exact() {
    everywhere(|gpu, some| counts::<f32, _>(gpu, &Sum, some));
}

#[test]
fn answers_over_several_accumulators() {
    everywhere(|gpu, some| counts::<i32, _>(gpu, &(Sum, Variance { ddof: 1 }), some));
}

#[test]
fn orders_and_places() {
    everywhere(|gpu, some| counts::<u32, _>(gpu, &TextHash, some));
    everywhere(|gpu, some| counts::<f32, _>(gpu, &ArgMin, some));
}

/// The count is read when the commands run: what one dispatch leaves, the next counts by, and a record serves every frame.
#[test]
fn prepared_once() {
    let gpu = gpu();
    let values: Vec<f32> = (1..=1000).map(|k| k as f32).collect();
    let buffer = upload(&gpu, &values);
    let alive = upload(&gpu, &[0u32]);
    let place = answers(&gpu, 8);
    let sum = gpu.reducer::<f32, _>(FastSum).expect("a reducer");
    let prepared = sum.prepare_each(Input::from(&buffer).counted(&alive), &place).expect("a record");
    for count in [3u32, 0, 1000, 5000] {
        gpu.queue().write_buffer(&alive, 0, &count.to_le_bytes());
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        prepared.record(&mut encoder).expect("a record");
        gpu.queue().submit([encoder.finish()]);
        let there = count.min(1000);
        let sum = (there * (there + 1) / 2) as f32;
        assert_eq!(download(&gpu, &place)[..2], [sum.to_bits(), there]);
    }
}

#[test]
fn without_blocking() {
    let gpu = gpu();
    let values: Vec<f32> = (0..600).map(|k| k as f32).collect();
    let buffer = upload(&gpu, &values);
    let count = upload(&gpu, &[4u32]);
    let sum = gpu.reducer::<f32, _>(Sum).expect("a reducer");
    let each = Input::from(&buffer).rows(100).counted(&count);
    let got = pollster::block_on(sum.reduce_each_async(each)).expect("answers");
    assert_eq!(got, [4950.0, 14950.0, 24950.0, 34950.0]);
}

#[test]
fn bad_input_is_told() {
    let gpu = gpu();
    let buffer = upload(&gpu, &[1.0f32; 64]);
    let word = upload(&gpu, &[1u32, 2]);
    let sum = gpu.reducer::<f32, _>(FastSum).expect("a reducer");
    let whole = || Input::<f32>::from(&buffer);
    let nothing = sum.reduce_each(whole().counted(Input::<u32>::range(&word, 1..1)));
    assert!(matches!(nothing, Err(Error::NoCount)), "{nothing:?}");
    let outside = sum.reduce_each(whole().counted(Input::<u32>::range(&word, 2..3)));
    assert!(matches!(outside, Err(Error::OutOfRange { .. })), "{outside:?}");
    let ragged = sum.reduce_each(whole().rows(5).counted(&word));
    assert!(matches!(ragged, Err(Error::RaggedRows { .. })), "{ragged:?}");
    let axes = Axes::of(&[8, 8], &[0]).expect("axes");
    let by_axes = sum.reduce_each(whole().over(axes).counted(&word));
    assert!(matches!(by_axes, Err(Error::AxesCounted)), "{by_axes:?}");
    let partials = sum.partials_each(whole().rows(8).counted(&word));
    assert!(matches!(partials, Err(Error::NoPartialsOfSegments)), "{partials:?}");
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    let place = answers(&gpu, 8);
    let in_place =
        sum.record_each(&mut encoder, whole().counted(DeviceCount::from(Input::range(&place, 4..5))), &place);
    assert!(matches!(in_place, Err(Error::SegmentsInPlace)), "{in_place:?}");
    let small = sum.record_each(&mut encoder, whole().rows(4).counted(&word), Output::bare(&place));
    assert!(matches!(small, Err(Error::OutputTooSmall { answers: 16, .. })), "{small:?}");
}
