//! Numbers with a mask beside them: what reading the flags costs.
//!
//! `cargo bench --bench masked`. Each line is a call of `reduce` over 2^28 numbers that the device holds: all of them, those that a condition
//! on themselves leaves, and those with masks of bytes and of bits, half of which are set. The adapter is the best one, or the one that
//! WGPU_ADAPTER_NAME names.

use criterion::{Criterion, criterion_group, criterion_main};
use std::time::Duration;
use treefold::ops::{FastSum, Filtered, Max, Sum};
use treefold::{Answer, Flagged, Gpu, Input, Mask, Op, wgpu};

const NUMBERS: u64 = 1 << 28;

fn of<O: Op<f32, Output: Answer>>(c: &mut Criterion, gpu: &Gpu, name: &str, op: O) {
    // Words that are alike but for the bits of `of`, of which half are set.
    let filled = |bytes: u64, word: u32, of: u32| {
        let mixed = |i: u32| (i ^ (i >> 15)).wrapping_mul(0x2c1b_3c6d);
        let part: Vec<u32> = (0..1 << 20).map(|i| word ^ (mixed(mixed(i)) & of)).collect();
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
        let descriptor = wgpu::BufferDescriptor { label: None, size: bytes, usage, mapped_at_creation: false };
        let buffer = gpu.device().create_buffer(&descriptor);
        (0..bytes).step_by(4 << 20).for_each(|at| gpu.queue().write_buffer(&buffer, at, bytemuck::cast_slice(&part)));
        buffer
    };
    let values = filled(4 * NUMBERS, 0x3f80_0000, 0xffff);
    let (bytes, bits) = (filled(NUMBERS, 0, 0x0101_0101), filled(NUMBERS / 8, 0, u32::MAX));
    let mut group = c.benchmark_group(name);
    group.sample_size(25).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(1));
    let all = gpu.reducer::<f32, _>(op.clone()).expect("a reducer");
    let some = gpu.reducer::<f32, _>(Filtered::not_nan(op.clone())).expect("a reducer");
    let masked = gpu.reducer::<Flagged<f32>, _>(Filtered::masked(op)).expect("a reducer");
    group.bench_function("all", |b| b.iter(|| all.reduce(&values).expect("an answer")));
    group.bench_function("not NaN", |b| b.iter(|| some.reduce(&values).expect("an answer")));
    for (what, mask) in [("bytes", Mask::bytes(&bytes)), ("bits", Mask::bits(&bits))] {
        let input = Input::masked(&values, mask).expect("masked");
        group.bench_function(what, |b| b.iter(|| masked.reduce(&input).expect("an answer")));
    }
    group.finish();
}

fn masks(c: &mut Criterion) {
    let Ok(gpu) = Gpu::new() else { return eprintln!("no adapter: nothing was measured") };
    println!("{}", gpu.info().name);
    of(c, &gpu, "fast_sum", FastSum);
    of(c, &gpu, "max", Max);
    of(c, &gpu, "sum", Sum);
}

criterion_group!(benches, masks);
criterion_main!(benches);
