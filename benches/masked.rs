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
    let filled = |bytes: u64, of: u32| {
        let part: Vec<u32> = (0..1 << 20).map(|i: u32| of ^ (i.wrapping_mul(2_654_435_761) >> 20 & 0x0101)).collect();
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
        let descriptor = wgpu::BufferDescriptor { label: None, size: bytes, usage, mapped_at_creation: false };
        let buffer = gpu.device().create_buffer(&descriptor);
        (0..bytes).step_by(4 << 20).for_each(|at| gpu.queue().write_buffer(&buffer, at, bytemuck::cast_slice(&part)));
        buffer
    };
    let (values, mask) = (filled(4 * NUMBERS, 0x3f80_0000), filled(NUMBERS, 0x0001_0000));
    let mut group = c.benchmark_group(name);
    group.sample_size(25).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(1));
    let all = gpu.reducer::<f32, _>(op.clone()).expect("a reducer");
    let some = gpu.reducer::<f32, _>(Filtered::not_nan(op.clone())).expect("a reducer");
    let masked = gpu.reducer::<Flagged<f32>, _>(Filtered::masked(op)).expect("a reducer");
    group.bench_function("all", |b| b.iter(|| all.reduce(&values).expect("an answer")));
    group.bench_function("not NaN", |b| b.iter(|| some.reduce(&values).expect("an answer")));
    for (what, mask) in [("bytes", Mask::bytes(&mask)), ("bits", Mask::bits(&mask))] {
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
