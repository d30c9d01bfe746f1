//! The best elements: times of a ranker's dispatches.

use super::args::{Benched, What};
use super::arranged::Arranged;
use super::clock::Sampling;
use super::data::fill;
use super::kernels::{Measured, reps};
use anyhow::{Context, Result};
use std::time::Instant;
use treefold::half::f16;
use treefold::ops::{Bottom, Ranked, Ranking, Top};
use treefold::wgpu::{self, BufferUsages};
use treefold::{Cpu, Element, Gpu, Input, Op, Output, Prepared, Scalar, Value};

const TOP: &str = <Top as Op<f32>>::NAME;
const BOTTOM: &str = <Bottom as Op<f32>>::NAME;

/// Elements, how they are arranged, and how times are taken.
type Timing<'a> = (u64, Option<&'a Arranged>, Sampling, u64);

/// Measures `top` or `bottom` on a device; `None` for what is neither, or a time that rankers have not.
pub fn best<T: Element>(
    gpu: &Gpu,
    asked: &Benched,
    (block, n, arranged): (&[T], u64, Option<&Arranged>),
    (what, sampling, pool): (What, Sampling, u64),
) -> Result<Option<Measured>> {
    if what != What::Kernel || ![TOP, BOTTOM].contains(&asked.name) {
        return Ok(None);
    }
    let told = asked.told.iter().find(|(name, _)| name == "k");
    let k = told.map_or(Ok(10), |(_, k)| k.parse()).context("k")?;
    let timing = (n, arranged, sampling, pool);
    fn both<T: Scalar + Into<Value>>(
        gpu: &Gpu,
        name: &str,
        k: u32,
        block: &dyn std::any::Any,
        timing: Timing<'_>,
    ) -> Result<Option<Measured>> {
        let Some(block) = block.downcast_ref::<Vec<T>>() else { return Ok(None) };
        match name {
            TOP => ranked::<T, true>(gpu, Top::new(k)?, block, timing).map(Some),
            _ => ranked::<T, false>(gpu, Bottom::new(k)?, block, timing).map(Some),
        }
    }
    let block: Box<dyn std::any::Any> = Box::new(block.to_vec());
    for of in [both::<f16>, both::<f32>, both::<f64>, both::<i32>, both::<u32>, both::<i64>, both::<u64>] {
        if let Some(found) = of(gpu, asked.name, k, &*block, timing)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn ranked<T: Scalar + Into<Value>, const HIGH: bool>(
    gpu: &Gpu,
    op: impl Op<T, Fold = Ranking<HIGH>, Output = Ranked<T>>,
    block: &[T],
    (n, arranged, sampling, pool): Timing<'_>,
) -> Result<Measured> {
    let host: Vec<T> = block.iter().copied().cycle().take(n as usize).collect();
    // So many that no window finds its elements in a cache.
    let count = (pool / (n * T::DTYPE.bytes())).clamp(1, 64);
    let buffers: Vec<wgpu::Buffer> = (0..count).map(|_| fill(gpu, block, n)).collect();
    let compiling = Instant::now();
    let ranker = gpu.ranker::<T, HIGH>(op.clone())?;
    let compile_ms = Some(compiling.elapsed().as_secs_f64() * 1e3);
    let output = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 4 * (ranker.output_words() as u64 + 1) * arranged.map_or(1, Arranged::answers),
        usage: BufferUsages::STORAGE,
        mapped_at_creation: false,
    });
    let input = |buffer| Input::range(buffer, 0..n);
    let alike = |found: &Ranked<T>, want: &Ranked<T>| format!("{found:?}") == format!("{want:?}");
    let (right, prepared) = match arranged {
        None => {
            let right = alike(&ranker.reduce(input(&buffers[0]))?, &Cpu::with_threads(1).reduce(op, &host)?);
            let prepared = buffers.iter().map(|buffer| Ok(ranker.prepare(input(buffer), &output)?));
            (right, prepared.collect::<Result<Vec<Prepared>>>()?)
        }
        Some(arranged) => {
            let beside = arranged.upload(gpu);
            let found = ranker.reduce_each(arranged.each(&beside, input(&buffers[0]))?)?;
            let want = arranged.on_cpu(&Cpu::new(), &op, &host)?;
            let right = found.len() == want.len() && found.iter().zip(&want).all(|(found, want)| alike(found, want));
            let ready =
                |buffer| Ok(ranker.prepare_each(arranged.each(&beside, input(buffer))?, Output::bare(&output))?);
            (right, buffers.iter().map(ready).collect::<Result<Vec<Prepared>>>()?)
        }
    };
    let samples = sampling.on_device(gpu, &prepared, reps(n))?;
    Ok(Measured { compile_ms, ..Measured::on_host(samples, right) })
}
