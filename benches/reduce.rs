//! Whole reductions of 2^24 elements: the CPU engine on host memory, and the adapter on data that it holds.
//!
//! `cargo bench` measures both; `cargo bench -- cpu` or `cargo bench -- adapter` one of them. The adapter is the best one,
//! or the one that WGPU_ADAPTER_NAME names. Kernels are compiled before the clock starts.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;
use treefold::ops::{self, Visitor};
use treefold::wgpu::{self, util::DeviceExt};
use treefold::{Answer, Cpu, Dtype, DynOp, Element, Gpu, Op};

const ELEMENTS: usize = 1 << 24;
const OPERATORS: [&str; 9] =
    ["sum", "fast_sum", "min", "argmin", "mean", "variance", "fast_variance", "count_nonzero", "stats"];

fn elements<T: Element>() -> Vec<T> {
    let mut state = 1u32;
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let bits = if T::DTYPE == Dtype::F32 { ((state >> 8) as f32 / 16_777_216.0).to_bits() } else { state >> 8 };
        T::from_pattern(bits.into())
    };
    std::iter::repeat_with(next).take(ELEMENTS).collect()
}

struct OnCpu<'a, 'b>(&'a mut criterion::BenchmarkGroup<'b, criterion::measurement::WallTime>);

impl Visitor for OnCpu<'_, '_> {
    type Out = ();
    fn visit<T: Element>(self, op: DynOp<T>) {
        let (cpu, data) = (Cpu::new(), elements::<T>());
        let run = || cpu.reduce(op.clone(), black_box(&data)).map(|output| output.parts());
        self.0.bench_function(format!("{}/{}", op.name(), T::DTYPE), |b| b.iter(run));
    }
}

struct OnAdapter<'a, 'b>(&'a mut criterion::BenchmarkGroup<'b, criterion::measurement::WallTime>, &'a Gpu);

impl Visitor for OnAdapter<'_, '_> {
    type Out = ();
    fn visit<T: Element>(self, op: DynOp<T>) {
        let gpu = self.1;
        let contents = bytemuck::cast_slice(&elements::<T>()).to_vec();
        let descriptor =
            wgpu::util::BufferInitDescriptor { label: None, contents: &contents, usage: wgpu::BufferUsages::STORAGE };
        let buffer = gpu.device().create_buffer_init(&descriptor);
        let reducer = gpu.reducer::<T, _>(op.clone()).expect("a reducer");
        let run = || reducer.reduce(&buffer).map(|output| output.parts());
        run().expect("an answer");
        self.0.bench_function(format!("{}/{}", op.name(), T::DTYPE), |b| b.iter(run));
    }
}

fn reductions(c: &mut Criterion) {
    let sizes = Throughput::Bytes(ELEMENTS as u64 * 4);
    let dtypes = [Dtype::F32, Dtype::I32];
    let mut group = c.benchmark_group("cpu");
    group.throughput(sizes.clone()).sample_size(20).measurement_time(Duration::from_secs(2));
    for (operator, dtype) in OPERATORS.into_iter().flat_map(|operator| dtypes.map(|dtype| (operator, dtype))) {
        ops::visit(operator, dtype, OnCpu(&mut group));
    }
    group.finish();
    let Ok(gpu) = Gpu::new() else {
        return eprintln!("no adapter: the adapter's benches did not run");
    };
    let mut group = c.benchmark_group("adapter");
    group.throughput(sizes).sample_size(20).measurement_time(Duration::from_secs(2));
    for (operator, dtype) in OPERATORS.into_iter().flat_map(|operator| dtypes.map(|dtype| (operator, dtype))) {
        ops::visit(operator, dtype, OnAdapter(&mut group, &gpu));
    }
    group.finish();
}

criterion_group!(benches, reductions);
criterion_main!(benches);
