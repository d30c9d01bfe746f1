//! Long inputs: several bindings and several buffers, more than a tile or a grid. On a GPU with memory:
//! `cargo test --release --test large -- --include-ignored`.

mod common;
use common::*;
use std::time::Instant;
use treefold::ops::{self, Visitor};
use treefold::{Answer, Cpu, Dtype, DynOp, Element, Gpu, Input, Op, Value, half, wgpu};

/// An input of `n` elements in buffers of at most `buffer_elements`, each repeating a block, with one outlier near the end.
struct Long<'a> {
    gpu: &'a Gpu,
    n: usize,
    buffer_elements: usize,
}

impl Visitor for Long<'_> {
    type Out = ();
    fn visit<T: Element>(self, op: DynOp<T>) {
        let block: Vec<T> = Random(self.n as u64).elements((1 << 20) - 3);
        let mut host: Vec<T> = block.iter().copied().cycle().take(self.n).collect();
        let outlier = self.n - self.n / 7 - 1;
        host[outlier] = T::from_pattern(match T::DTYPE {
            Dtype::F32 => 5.0f32.to_bits().into(),
            Dtype::F32x2 => u64::from(5.0f32.to_bits()) << 32 | u64::from(5.0f32.to_bits()),
            Dtype::F16 => half::f16::from_f32(5.0).to_bits().into(),
            Dtype::F64 => 5.0f64.to_bits(),
            Dtype::I64 | Dtype::U64 => 0x7fff_ffff_ffff_fff0,
            _ => 0x7fff_fff0,
        });
        let (device, queue) = (self.gpu.device(), self.gpu.queue());
        // Of 8 bytes each, so many may be more than a buffer holds.
        let most = (device.limits().max_buffer_size / T::DTYPE.bytes()) as usize;
        let buffers: Vec<(wgpu::Buffer, u64)> = host
            .chunks(self.buffer_elements.min(most))
            .map(|chunk| {
                let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
                let bytes: &[u8] = bytemuck::cast_slice(chunk);
                // Copies take whole words; the elements of half a word that are missing are never read.
                let size = (bytes.len() as u64).next_multiple_of(4);
                let buffer = device.create_buffer(&wgpu::BufferDescriptor {
                    label: None,
                    size,
                    usage,
                    mapped_at_creation: false,
                });
                for (part, at) in bytes.chunks(1 << 26).zip((0u64..).step_by(1 << 26)) {
                    let mut part = part.to_vec();
                    part.resize(part.len().next_multiple_of(4), 0);
                    queue.write_buffer(&buffer, at, &part);
                    queue.submit([]);
                }
                (buffer, chunk.len() as u64)
            })
            .collect();
        let start = Instant::now();
        let reducer = self.gpu.reducer::<T, _>(op.clone()).expect("a reducer");
        let input = Input::concat(buffers.iter().map(|(buffer, n)| Input::range(buffer, 0..*n)));
        let got = reducer.reduce(&input);
        let took = start.elapsed();
        let want = Cpu::new().reduce(op.clone(), &host);
        let (got, want) = match (got, want) {
            (Ok(got), Ok(want)) => (got, want),
            (got, want) => {
                let tell =
                    |outcome: treefold::Result<treefold::DynAnswer>| outcome.err().map(|error| error.to_string());
                return assert_eq!(tell(got), tell(want), "{} {}", op.name(), T::DTYPE);
            }
        };
        println!("{} {} {}: {:?} {took:?}", op.name(), T::DTYPE, self.n, got.parts());
        assert!(op.close(&got, &want, &host, false), "{} {}: {got:?} {want:?}", op.name(), T::DTYPE);
        // A tree of n elements has an error far below the bound of any order.
        for (got, want) in got.parts().into_iter().zip(want.parts()) {
            let wide = |value| match value {
                Value::F32(x) => Some(f64::from(x)),
                Value::F64(x) => Some(x),
                _ => None,
            };
            if let (Some(got), Some(want)) = (wide(got.value), wide(want.value)) {
                let near = (got - want).abs() <= 1e-4 * (want.abs() + (self.n as f64).sqrt());
                let nan = got.is_nan() && want.is_nan();
                assert!(near || got == want || nan, "{} {}: {got} {want}", op.name(), T::DTYPE);
            }
        }
    }
}

/// Every operator of these turns over one of so many of its types.
fn long(n: usize, buffer_elements: usize, of_types: usize, turns: impl Fn(usize) -> bool) {
    let gpu = gpu();
    for (number, name) in ops::names().into_iter().enumerate().filter(|(number, _)| turns(*number)) {
        let dtypes: Vec<Dtype> = Dtype::WITH_PAIRS.into_iter().filter(|&dtype| on_devices(name, dtype)).collect();
        let first = number % of_types.clamp(1, dtypes.len().max(1));
        for &dtype in dtypes.iter().skip(first).step_by(of_types) {
            ops::visit(name, dtype, Long { gpu: &gpu, n, buffer_elements });
        }
    }
}

/// Every operator over one in three of its types, or over all.
#[test]
fn a_million_and_one() {
    std::thread::scope(|scope| {
        for half in 0..2 {
            scope.spawn(move || long((1 << 20) + 1, 300_001, if all() { 1 } else { 3 }, |turn| turn % 2 == half));
        }
    });
}

#[test]
#[ignore = "1 GiB on the device"]
fn two_to_the_28() {
    long(1 << 28, 1 << 28, 1, |_| true);
}

#[test]
#[ignore = "4 GiB on the device, over bindings and buffers"]
fn two_to_the_30() {
    long(1 << 30, (1 << 29) + 12345, 1, |_| true);
}
