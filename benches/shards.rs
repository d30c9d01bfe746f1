//! Sums of what lies on the devices of one host, from the host's calls: of one device, and of all together. 2^31 f32 on each, or 2^N:
//! `TREEFOLD_LOG2=24 cargo bench --bench shards`. `TREEFOLD_TWICE=1` opens the first adapter twice, where there is one.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use treefold::ops::{FastSum, Sum};
use treefold::wgpu::{self, BufferUsages};
use treefold::{Gpu, Input, Op, Sharded};

/// Elements of a buffer, at most: 1 GiB.
const BUFFER_ELEMENTS: u64 = 1 << 28;

/// Buffers of a device with so many elements together, of all sizes.
fn filled(gpu: &Gpu, elements: u64) -> Vec<(wgpu::Buffer, u64)> {
    let numbers: Vec<f32> = (0..1u32 << 20).map(|n| (n.wrapping_mul(0x9e37_79b9) >> 8) as f32 - 8e6).collect();
    let begins = (0..elements).step_by(BUFFER_ELEMENTS as usize);
    let buffers = begins.map(|begin| {
        let many = BUFFER_ELEMENTS.min(elements - begin);
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
        let descriptor = wgpu::BufferDescriptor { label: None, size: many * 4, usage, mapped_at_creation: false };
        let buffer = gpu.device().create_buffer(&descriptor);
        for at in (0..many).step_by(numbers.len()) {
            let part = &numbers[..numbers.len().min((many - at) as usize)];
            gpu.queue().write_buffer(&buffer, at * 4, bytemuck::cast_slice(part));
            if at % (1 << 26) == 0 {
                gpu.queue().submit([]);
            }
        }
        (buffer, many)
    });
    buffers.collect()
}

fn bench<O: Op<f32>>(criterion: &mut Criterion, gpus: &[Gpu], op: O) {
    let log2 = std::env::var("TREEFOLD_LOG2").ok().and_then(|text| text.parse().ok()).unwrap_or(31);
    let elements: u64 = 1 << log2;
    let all: Vec<_> = gpus.iter().map(|gpu| filled(gpu, elements)).collect();
    let shard = |buffers: &'static [(wgpu::Buffer, u64)]| {
        Input::concat(buffers.iter().map(|(buffer, many)| Input::range(buffer, 0..*many)))
    };
    // Inputs borrow them as long as the bench runs.
    let all: &'static [Vec<(wgpu::Buffer, u64)>] = Vec::leak(all);
    let shards: Vec<_> = all.iter().map(|buffers| shard(buffers)).collect();
    let mut group = criterion.benchmark_group(format!("{} of 2^{log2} f32 on each device", op.name()));
    for many in 1..=gpus.len() {
        let sharded = Sharded::new(&gpus[..many], op.clone()).expect("kernels");
        group.throughput(Throughput::Bytes(many as u64 * elements * 4));
        group.bench_function(format!("{many}"), |bencher| {
            bencher.iter(|| sharded.reduce(&shards[..many]).expect("a sum"));
        });
    }
}

fn shards(criterion: &mut Criterion) {
    let gpus = match Gpu::all() {
        Ok(gpus) if std::env::var_os("TREEFOLD_TWICE").is_none() => gpus,
        _ => (0..2).map(|_| Gpu::new().expect("an adapter")).collect(),
    };
    bench(criterion, &gpus, Sum);
    bench(criterion, &gpus, FastSum);
}

criterion_group!(benches, shards);
criterion_main!(benches);
