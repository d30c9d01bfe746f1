//! Host time of recording: hand-written calls of wgpu, a prepared reduction, and one that is planned at each call, of
//! as many dispatches, in one compute pass. Nothing is submitted.
//!
//! `cargo bench --bench record`: nanoseconds a record. `calls` ends with the last call, `encoded` with the encoder's
//! finish, where wgpu reads what it was given. The adapter is the best one, or the one that WGPU_ADAPTER_NAME names; an
//! app's device is one that the program opened itself, a `Gpu` is one of the library's own.

use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main, measurement::WallTime};
use std::time::{Duration, Instant};
use treefold::ops::FastSum;
use treefold::wgpu::{self, BufferUsages};
use treefold::{Gpu, Input, Prepared, Reducer};

/// A way to record.
type Record<'a> = dyn Fn(&mut wgpu::ComputePass<'_>) + 'a;

/// Records of a pass.
const RECORDS: u64 = 1000;

/// A kernel with the bindings of a reduction: input, another one, parameters, output.
const BY_HAND: &str = "
@group(0) @binding(0) var<storage, read> first: array<u32>;
@group(0) @binding(1) var<storage, read> second: array<u32>;
@group(0) @binding(2) var<uniform> params: vec4<u32>;
@group(0) @binding(3) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(64)
fn main() { output[0] = first[0] + second[0] + params.x; }";

struct Bench {
    device: wgpu::Device,
    input: wgpu::Buffer,
    output: wgpu::Buffer,
    /// From the input to partials, and from partials to the output.
    dispatches: [(wgpu::ComputePipeline, wgpu::BindGroup); 2],
}

impl Bench {
    fn new(device: &wgpu::Device, elements: u64) -> Bench {
        let buffer = |size, usage| {
            device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
        };
        let storage = |size| buffer(size, BufferUsages::STORAGE);
        let (input, other, partials, output) = (storage(elements * 4), storage(256), storage(256), storage(256));
        let params = buffer(256, BufferUsages::UNIFORM);
        let source = wgpu::ShaderSource::Wgsl(BY_HAND.into());
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        let dispatch = |from: &wgpu::Buffer, to: &wgpu::Buffer| {
            let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: None,
                layout: None,
                module: &module,
                entry_point: None,
                compilation_options: Default::default(),
                cache: None,
            });
            let bound = [(0, from), (1, &other), (2, &params), (3, to)];
            let entries =
                bound.map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() });
            let layout = pipeline.get_bind_group_layout(0);
            let descriptor = wgpu::BindGroupDescriptor { label: None, layout: &layout, entries: &entries };
            let bindings = device.create_bind_group(&descriptor);
            (pipeline, bindings)
        };
        let dispatches = [dispatch(&input, &partials), dispatch(&partials, &output)];
        Bench { device: device.clone(), input, output, dispatches }
    }

    /// The time of so many records, or more, in passes of [`RECORDS`], and that of encoding them.
    fn time(&self, records: u64, encoded: bool, record: &Record) -> Duration {
        let passes = records.div_ceil(RECORDS);
        let mut time = Duration::ZERO;
        for _ in 0..passes {
            let mut encoder = self.device.create_command_encoder(&Default::default());
            let mut pass = encoder.begin_compute_pass(&Default::default());
            let start = Instant::now();
            (0..RECORDS).for_each(|_| record(&mut pass));
            let called = start.elapsed();
            drop(pass);
            drop(encoder.finish());
            time += if encoded { start.elapsed() } else { called };
        }
        time.mul_f64(records as f64 / (passes * RECORDS) as f64)
    }

    fn by_hand(&self, pass: &mut wgpu::ComputePass<'_>, dispatches: usize) {
        for (pipeline, bindings) in self.dispatches.iter().take(dispatches) {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, bindings, &[]);
            pass.dispatch_workgroups(1, 1, 1);
        }
    }
}

fn compare(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    bench: &Bench,
    reducer: &Reducer<f32, FastSum>,
    elements: u64,
) {
    let input = Input::range(&bench.input, 0..elements);
    let dispatches = reducer.plan(&input).expect("a plan").passes.len();
    let prepared: Prepared = reducer.prepare(&input, &bench.output).expect("a prepared reduction");
    let by_hand = |pass: &mut wgpu::ComputePass<'_>| bench.by_hand(pass, dispatches);
    let ready = |pass: &mut wgpu::ComputePass<'_>| prepared.record_in_pass(pass).expect("a record");
    let planned =
        |pass: &mut wgpu::ComputePass<'_>| reducer.record_in_pass(pass, &input, &bench.output).expect("a record");
    let ways: [(&str, &Record); 3] = [("by hand", &by_hand), ("prepared", &ready), ("record", &planned)];
    for encoded in [false, true] {
        for (way, record) in ways {
            let what = if encoded { "encoded" } else { "calls" };
            let name = format!("{name}, {dispatches} dispatches, {what}/{way}");
            group.bench_function(name, |b| b.iter_custom(|records| bench.time(records, encoded, record)));
        }
    }
}

fn records(c: &mut Criterion) {
    let Ok(gpu) = Gpu::new() else { return eprintln!("no adapter: nothing was measured") };
    println!("{}", gpu.info().name);
    let mut group = c.benchmark_group("record");
    group.sample_size(20).measurement_time(Duration::from_secs(1)).warm_up_time(Duration::from_millis(300));
    let (small, large) = (1000, 1 << 22);
    // The same device as an app's own.
    let theirs = Gpu::from_device(gpu.device(), gpu.queue()).expect("the device as an app's own");
    for (name, gpu) in [("app", &theirs), ("Gpu", &gpu)] {
        let bench = Bench::new(gpu.device(), large);
        let reducer = gpu.reducer::<f32, _>(FastSum).expect("a reducer");
        for elements in [small, large] {
            compare(&mut group, name, &bench, &reducer, elements);
        }
    }
    group.finish();
}

criterion_group!(benches, records);
criterion_main!(benches);
