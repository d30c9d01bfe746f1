//! Time until an answer is on the host, of inputs that the device holds: a call at a time, and batches of 1000 inputs.
//!
//! `cargo bench --bench answer`. Each line is a call of `reduce`, `reduce_async` (blocked on) or a prepared `reduce`, or a batch of 1000:
//! of inputs of one length at one distance, or of inputs that are not. The adapter is the best one, or the one that WGPU_ADAPTER_NAME names.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::time::Duration;
use treefold::ops::{FastSum, Sum};
use treefold::wgpu::{self, util::DeviceExt};
use treefold::{Gpu, Input};

/// Inputs of a batch.
const INPUTS: u64 = 1000;
/// Elements of one.
const ELEMENTS: u64 = 1024;

fn answers(c: &mut Criterion) {
    let Ok(gpu) = Gpu::new() else { return eprintln!("no adapter: nothing was measured") };
    println!("{}", gpu.info().name);
    let elements: Vec<f32> = (0..INPUTS * ELEMENTS).map(|i| (i % 1013) as f32).collect();
    let (contents, usage) = (bytemuck::cast_slice(&elements), wgpu::BufferUsages::STORAGE);
    let buffer = gpu.device().create_buffer_init(&wgpu::util::BufferInitDescriptor { label: None, contents, usage });
    let (fast, exact) = (gpu.reducer::<f32, _>(FastSum), gpu.reducer::<f32, _>(Sum));
    let (fast, exact) = (fast.expect("a reducer"), exact.expect("a reducer"));
    let of = |first: u64, elements: u64| Input::<f32>::range(&buffer, first..first + elements);

    let mut group = c.benchmark_group("answer");
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    for n in [1 << 10, 1 << 19] {
        let input = of(0, n);
        group.bench_function(format!("reduce/{n}"), |b| b.iter(|| fast.reduce(&input).expect("a sum")));
        group.bench_function(format!("reduce, exact/{n}"), |b| b.iter(|| exact.reduce(&input).expect("a sum")));
        let asynchronous = || pollster::block_on(fast.reduce_async(&input)).expect("a sum");
        group.bench_function(format!("reduce_async/{n}"), |b| b.iter(asynchronous));
        let mut prepared = fast.prepare_answer(&input).expect("a plan");
        group.bench_function(format!("prepared/{n}"), |b| b.iter(|| prepared.reduce().expect("a sum")));
    }
    group.throughput(Throughput::Elements(INPUTS));
    let in_step: Vec<_> = (0..INPUTS).map(|row| of(row * ELEMENTS, ELEMENTS)).collect();
    // No two of one distance.
    let apart: Vec<_> = (0..INPUTS).map(|row| of(row * ELEMENTS + row % 3, ELEMENTS - 8)).collect();
    for (name, inputs) in [("in step", in_step), ("apart", apart)] {
        let batch = || fast.reduce_batch(inputs.iter().cloned()).expect("sums");
        group.bench_function(format!("batch of {INPUTS} x {ELEMENTS}, {name}"), |b| b.iter(batch));
    }
    group.finish();
}

criterion_group!(benches, answers);
criterion_main!(benches);
