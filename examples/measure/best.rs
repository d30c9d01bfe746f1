//! The best elements: time of a ranker's dispatches, by the device's clock.

use super::clock::timed;
use super::data::{elements, fill};
use super::{Outcome, Request};
use treefold::half::f16;
use treefold::ops::{Bottom, Ranked, Ranking, Top};
use treefold::wgpu::{self, BufferUsages};
use treefold::{Cpu, Dtype, Gpu, Input, Op, Prepared, Scalar, Value};

/// Measures `top` or `bottom` over a type; whether the name is one of these.
pub fn best(gpu: &Gpu, request: &Request, operator: &str, dtype: Dtype) -> Outcome<bool> {
    let told = request.options.iter().find(|(name, _)| name == "k").map(|(_, k)| k.parse()).transpose()?;
    let k = told.unwrap_or(10);
    let measure = |dtype| match dtype {
        Dtype::F16 => both::<f16>(gpu, request, operator, k),
        Dtype::F32 => both::<f32>(gpu, request, operator, k),
        Dtype::F64 => both::<f64>(gpu, request, operator, k),
        Dtype::I32 => both::<i32>(gpu, request, operator, k),
        Dtype::U32 => both::<u32>(gpu, request, operator, k),
        Dtype::I64 => both::<i64>(gpu, request, operator, k),
        _ => both::<u64>(gpu, request, operator, k),
    };
    match ["top", "bottom"].contains(&operator) {
        true => measure(dtype).map(|()| true),
        false => Ok(false),
    }
}

fn both<T: Scalar + Into<Value>>(gpu: &Gpu, request: &Request, operator: &str, k: u32) -> Outcome<()> {
    match operator {
        "top" => ranked::<T, true>(gpu, request, Top::new(k)?),
        _ => ranked::<T, false>(gpu, request, Bottom::new(k)?),
    }
}

fn ranked<T: Scalar, const HIGH: bool>(
    gpu: &Gpu,
    request: &Request,
    op: impl Op<T, Fold = Ranking<HIGH>, Output = Ranked<T>>,
) -> Outcome<()> {
    let block: Vec<T> = elements((1 << 20) - 4, request.data);
    for &log2 in &request.log2 {
        let n = (1u64 << log2) + request.plus;
        let host: Vec<T> = block.iter().copied().cycle().take(n as usize).collect();
        // So many that no window finds its elements in a cache.
        let count = ((1 << (request.window_log2 + 2)) / (n * T::DTYPE.bytes())).clamp(1, 64);
        let buffers: Vec<wgpu::Buffer> = (0..count).map(|_| fill(gpu, &block, n)).collect();
        let ranker = gpu.ranker::<T, HIGH>(op.clone())?;
        let descriptor = wgpu::BufferDescriptor {
            label: None,
            size: 4 * (ranker.output_words() as u64 + 1),
            usage: BufferUsages::STORAGE,
            mapped_at_creation: false,
        };
        let output = gpu.device().create_buffer(&descriptor);
        let found = ranker.reduce(Input::range(&buffers[0], 0..n))?;
        let right = format!("{found:?}") == format!("{:?}", Cpu::new().reduce(op.clone(), &host)?);
        let prepared = buffers.iter().map(|buffer| ranker.prepare(Input::range(buffer, 0..n), &output));
        let prepared = prepared.collect::<treefold::Result<Vec<Prepared>>>()?;
        let [median, low, high] = timed(gpu, &prepared, if n <= 1 << 22 { 200 } else { 20 }, request.sampling)?;
        let rate = (n * T::DTYPE.bytes()) as f64 / median / 1e3;
        println!(
            "{{\"operator\":\"{}\",\"dtype\":\"{}\",\"n\":{n},\"us\":{median:.2},\"low\":{low:.2},\"high\":{high:.2},\"gb_per_s\":{rate:.1},\"right\":{right}}}",
            op.signature(),
            T::DTYPE
        );
    }
    Ok(())
}
