//! Elements to measure over, and buffers that hold them.

use clap::ValueEnum;
use treefold::wgpu::{self, BufferUsages};
use treefold::{Dtype, Element, Gpu};

/// The values of the elements.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum Data {
    /// Floats in (0, 1), integers of all sizes
    #[default]
    Uniform,
    /// Floats of mean 0 and deviation 1
    Normal,
    /// Floats of both signs over 60 powers of two
    Wide,
    /// All bit patterns of finite floats
    Bits,
    /// One float again and again
    One,
    /// The largest and the smallest float in turn
    Extremes,
    /// Subnormal floats
    Subnormal,
    /// Zeros, of floats
    Zeros,
}

/// The states of Knuth's linear congruential generator (MMIX), whose upper bits are the random ones; always the same of one seed.
pub fn random(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state
    }
}

/// Random elements, always the same of one seed.
pub fn elements<T: Element>(n: usize, data: Data, seed: u64) -> Vec<T> {
    let mut state = random(0x9e37_79b9 ^ seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let mut next = || {
        let state = state();
        (state >> 33) as u32 | (state << 20) as u32 & 0x8000_0000
    };
    (0..n)
        .map(|at| {
            let mut pattern = |dtype| {
                let mut float = || float(&mut next, data, at);
                match dtype {
                    Dtype::F32 => float().to_bits().into(),
                    Dtype::BF16 => float().to_bits().into(),
                    Dtype::F16 => treefold::half::f16::from_f32(float()).to_bits().into(),
                    Dtype::F64 => (f64::from(float()) * 1.000_000_1).to_bits(),
                    Dtype::F32x2 => u64::from(float().to_bits()) | u64::from(float().to_bits()) << 32,
                    _ => u64::from(next()) | u64::from(next()) << 32,
                }
            };
            match T::DTYPE.pair_of() {
                Some(number) if T::DTYPE.bytes() == 16 => {
                    let both = [pattern(number), pattern(number)];
                    bytemuck::pod_collect_to_vec(&both).first().copied().unwrap_or(T::ZERO)
                }
                _ => T::from_pattern(pattern(T::DTYPE)),
            }
        })
        .collect()
}

fn float(next: &mut impl FnMut() -> u32, data: Data, at: usize) -> f32 {
    let mut unit = || (next() >> 8) as f32 / 16_777_216.0 + 1e-9;
    match data {
        Data::Uniform => unit(),
        Data::Normal => (-2.0 * unit().ln()).sqrt() * (std::f32::consts::TAU * unit()).cos(),
        Data::Wide => (unit() - 0.5) * ((unit() - 0.5) * 60.0).exp2(),
        Data::Bits => loop {
            let x = f32::from_bits(next());
            if x.is_finite() {
                return x;
            }
        },
        Data::One => 1.1,
        Data::Extremes => f32::MAX * if at.is_multiple_of(2) { 1.0 } else { -1.0 },
        Data::Subnormal => f32::from_bits(next() & 0x807f_ffff),
        Data::Zeros => 0.0,
    }
}

/// A buffer of so many words, all 0.
pub fn zeros(gpu: &Gpu, words: u64) -> wgpu::Buffer {
    let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
    gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 4 * words,
        usage,
        mapped_at_creation: false,
    })
}

/// A buffer that repeats a block, by copies on the device.
pub fn fill<T: Element>(gpu: &Gpu, block: &[T], elements: u64) -> wgpu::Buffer {
    let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST | BufferUsages::COPY_SRC;
    let describe = |size| wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
    // Whole words, which copies and bindings are of.
    let size = (elements * T::DTYPE.bytes()).next_multiple_of(4);
    let buffer = gpu.device().create_buffer(&describe(size));
    let bytes: &[u8] = bytemuck::cast_slice(block);
    let first = bytes.len().min(size as usize);
    gpu.queue().write_buffer(&buffer, 0, &bytes[..first]);
    let source = gpu.device().create_buffer(&describe(bytes.len() as u64));
    gpu.queue().write_buffer(&source, 0, bytes);
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    for at in (0..size).step_by(bytes.len()) {
        encoder.copy_buffer_to_buffer(&source, 0, &buffer, at, (bytes.len() as u64).min(size - at));
    }
    gpu.queue().submit([encoder.finish()]);
    buffer
}
