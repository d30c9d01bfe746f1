//! Answers that land where others did, from the same inputs again and again, one by one, prepared, and in batches.

use crate::common::{gpu, upload};
use treefold::ops::{FastSum, Hash, MinMax, Sum};
use treefold::{Cpu, Input};

const ROW: usize = 100;

/// Elements of so many rows, no two rows alike.
fn elements(rows: usize) -> Vec<u32> {
    (0..(rows * ROW) as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 7).collect()
}

#[test]
fn every_answer_is_of_its_own_input() {
    let gpu = gpu();
    let all = elements(300);
    let buffer = upload(&gpu, &all);
    let (sum, ends) =
        (gpu.reducer::<u32, _>(Sum).expect("a reducer"), gpu.reducer::<u32, _>(MinMax).expect("a reducer"));
    let mut prepared = sum.prepare_answer(Input::range(&buffer, 0..ROW as u64)).expect("a plan");
    let first: u64 = all[..ROW].iter().map(|&x| u64::from(x)).sum();
    for (row, elements) in all.chunks(ROW).enumerate() {
        let range = || Input::range(&buffer, (row * ROW) as u64..((row + 1) * ROW) as u64);
        let want: u64 = elements.iter().map(|&x| u64::from(x)).sum();
        assert_eq!(sum.reduce(range()).expect("a sum"), want, "row {row}");
        let want = elements.iter().min().copied().zip(elements.iter().max().copied());
        assert_eq!(ends.reduce(range()).expect("ends"), want, "row {row}");
        assert_eq!(prepared.reduce().expect("a sum"), first, "prepared, row {row}");
    }
}

/// What a prepared answer reads is what its buffer holds by then.
#[test]
fn a_prepared_answer_follows_its_buffer() {
    let gpu = gpu();
    let usage = treefold::wgpu::BufferUsages::STORAGE | treefold::wgpu::BufferUsages::COPY_DST;
    let descriptor = treefold::wgpu::BufferDescriptor { label: None, size: 400_000, usage, mapped_at_creation: false };
    let buffer = gpu.device().create_buffer(&descriptor);
    let sum = gpu.reducer::<f32, _>(FastSum).expect("a reducer");
    let mut prepared = sum.prepare_answer(&buffer).expect("a plan");
    drop(sum);
    for x in [1.0f32, 2.0, 0.5] {
        gpu.queue().write_buffer(&buffer, 0, bytemuck::cast_slice(&vec![x; 100_000]));
        assert_eq!(prepared.reduce().expect("a sum"), x * 100_000.0);
    }
}

/// Inputs in step are rows; others are not. Both have the answers of the host, the order of elements included.
#[test]
fn batches_in_step_and_others_are_alike() {
    let gpu = gpu();
    let all = elements(64);
    let buffer = upload(&gpu, &all);
    let other = upload(&gpu, &all);
    let hash = gpu.reducer::<u32, _>(Hash).expect("a reducer");
    let n = all.len();
    let steps: [(&str, usize, usize, usize, usize); 7] = [
        ("rows", 0, ROW, ROW, 64),
        ("rows with gaps", 3, ROW + 7, ROW, 50),
        ("windows that overlap", 1, 1, ROW, 200),
        ("the same again", 5, 0, ROW, 20),
        ("of one element", 0, 1, 1, 100),
        ("too few", 0, ROW, ROW, 15),
        ("empty ones", 9, 2, 0, 30),
    ];
    for (what, first, step, length, count) in steps {
        let mut ranges: Vec<_> = (0..count).map(|row| first + row * step..first + row * step + length).collect();
        let input = |buffer, range: &std::ops::Range<usize>| Input::range(buffer, range.start as u64..range.end as u64);
        let want = |ranges: &[std::ops::Range<usize>]| -> Vec<_> {
            ranges.iter().map(|range| Cpu::new().reduce(Hash, &all[range.clone()]).expect("a hash")).collect()
        };
        let got = hash.reduce_batch(ranges.iter().map(|range| input(&buffer, range)));
        assert_eq!(got.expect("hashes"), want(&ranges), "{what}");
        // One of them out of step, in its place, its length, its buffer.
        let middle = count / 2;
        let whole = ranges.clone();
        for change in [0..0, 0..length / 2, n - 1..n] {
            ranges[middle] = change;
            let got = hash.reduce_batch(ranges.iter().map(|range| input(&buffer, range)));
            assert_eq!(got.expect("hashes"), want(&ranges), "{what}, one of them {:?}", ranges[middle]);
        }
        let got = hash.reduce_batch(
            whole.iter().enumerate().map(|(row, range)| input(if row == middle { &other } else { &buffer }, range)),
        );
        assert_eq!(got.expect("hashes"), want(&whole), "{what}, one of another buffer");
    }
}

/// An input of a batch that ends outside its buffer is the same error, in step or not.
#[test]
fn a_batch_that_ends_outside_is_an_error() {
    let gpu = gpu();
    let buffer = upload(&gpu, &elements(20));
    let sum = gpu.reducer::<u32, _>(Sum).expect("a reducer");
    let rows = |rows: u64| (0..rows).map(|row| Input::range(&buffer, row * 100..row * 100 + 100));
    assert!(sum.reduce_batch(rows(20)).is_ok());
    let error = sum.reduce_batch(rows(21)).expect_err("outside");
    assert!(matches!(error, treefold::Error::OutOfRange { .. }), "{error:?}");
}

/// An error of the device stays: what a second call says, every later one does.
#[test]
fn a_prepared_answer_keeps_its_error() {
    let gpu = gpu();
    let buffer = upload(&gpu, &[1.0f32, 2.0]);
    let mut prepared = gpu.reducer::<f32, _>(FastSum).expect("a reducer").prepare_answer(&buffer).expect("a plan");
    assert_eq!(prepared.reduce().expect("a sum"), 3.0);
    buffer.destroy();
    let first = prepared.reduce().expect_err("no buffer");
    assert!(!matches!(first, treefold::Error::ResultMissing), "{first:?}");
    for _ in 0..3 {
        assert_eq!(prepared.reduce().expect_err("no buffer").to_string(), first.to_string());
    }
}

/// A batch that reaches past its buffer has the error of the first input that does, in step or not.
#[test]
fn errors_of_batches_in_step_are_those_of_an_input() {
    let gpu = gpu();
    let buffer = upload(&gpu, &elements(20));
    let sum = gpu.reducer::<u32, _>(Sum).expect("a reducer");
    let inputs = |count: u64| (0..count).map(|i| Input::range(&buffer, i * 100..i * 100 + 100)).collect::<Vec<_>>();
    assert_eq!(sum.reduce_batch(inputs(20)).expect("sums").len(), 20);
    let one = sum.reduce(Input::range(&buffer, 2000..2100)).expect_err("past the end").to_string();
    assert_eq!(sum.reduce_batch(inputs(23)).expect_err("past the end").to_string(), one);
}
