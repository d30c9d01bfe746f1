//! Times on an adapter: of kernels back to back over windows that rotate, so that none finds its input in a cache, and of answers on
//! the host over data that the device holds.

use super::args::What;
use super::arranged::{Arranged, OnDevice};
use super::clock::Sampling;
use super::data::fill;
use super::machine::Clocks;
use anyhow::{Context, Result, ensure};
use std::time::Instant;
use treefold::wgpu::{self, BufferUsages};
use treefold::{Answer, Element, Engine, Gpu, Input, Op, Prepared, Reducer};

/// Elements on a device, in buffers that hold a block again and again.
pub struct Resident {
    buffers: Vec<wgpu::Buffer>,
}

/// The elements that answers are checked with, how they are arranged, and the answer over all of them.
pub struct Inquired<'a, T, R> {
    pub host: &'a [T],
    pub arranged: Option<&'a Arranged>,
    /// Of what is not arranged.
    pub want: Option<&'a R>,
}

/// Samples in microseconds, whether the answer is right, and the milliseconds until pipelines were there.
pub struct Measured {
    pub samples: Vec<f64>,
    pub right: bool,
    pub compile_ms: Option<f64>,
    /// The multiprocessors' clock behind the last sample, in MHz.
    pub clock_mhz: Option<f64>,
}

impl Measured {
    /// Samples of the host's clock.
    pub fn on_host(samples: Vec<f64>, right: bool) -> Measured {
        Measured { samples, right, compile_ms: None, clock_mhz: None }
    }
}

/// Windows that rotate, at most.
const WINDOWS: u64 = 64;

impl Resident {
    /// Blocks over so many bytes at least, in buffers of so many elements.
    pub fn new<T: Element>(gpu: &Gpu, block: &[T], longest: u64, pool: u64) -> Result<Resident> {
        let each = longest.max(block.len() as u64);
        let (bytes, most) = (each * T::DTYPE.bytes(), gpu.device().limits().max_buffer_size);
        ensure!(
            bytes <= most,
            "{each} elements are {bytes} bytes, and a buffer of {} has {most} at most; pass a smaller --size",
            gpu.info().name
        );
        let buffers = (0..(pool / bytes).max(1)).map(|_| fill(gpu, block, each)).collect();
        Ok(Resident { buffers })
    }

    /// Windows of so many elements.
    fn windows<T: Element>(&self, n: u64) -> Vec<Input<'_, T>> {
        let in_each = |buffer: &wgpu::Buffer| (buffer.size() / T::DTYPE.bytes() / n).clamp(1, WINDOWS);
        let of = |buffer| (0..in_each(buffer)).map(move |at| Input::range(buffer, at * n..(at + 1) * n));
        self.buffers.iter().flat_map(of).take(WINDOWS as usize).collect()
    }

    /// Measures on the device.
    pub fn measure<T: Element, O: Op<T, Output: Answer>>(
        &self,
        gpu: &Gpu,
        op: &O,
        asked: &Inquired<'_, T, O::Output>,
        (what, sampling): (What, Sampling),
    ) -> Result<Measured> {
        let Inquired { host, arranged, want } = *asked;
        let compiling = Instant::now();
        let reducer = gpu.reducer::<T, O>(op.clone())?;
        let compile_ms = Some(compiling.elapsed().as_secs_f64() * 1e3);
        let n = host.len() as u64;
        let windows = self.windows::<T>(n);
        let first = || windows.first().cloned().context("no window");
        if what == What::Answer {
            ensure!(
                arranged.is_none(),
                "an answer's time is of one answer; leave out --what answer, or segments, runs, groups and shapes"
            );
            let right = op.close(&reducer.reduce(first()?)?, want.context("no answer")?, host, false);
            let (mut at, windows) = (0, &windows);
            let samples = sampling.on_host(|| {
                at += 1;
                reducer.reduce(windows[at % windows.len()].clone())?;
                Ok(())
            })?;
            return Ok(Measured { compile_ms, ..Measured::on_host(samples, right) });
        }
        let clock_mhz = || Clocks::of(&Engine::Gpu(gpu.clone())).and_then(|clocks| clocks.sm_mhz);
        if reducer.answer_words() == 0 && arranged.is_none() {
            // The last step is the host's: the dispatches of such a call are timed, and another call's answer is looked at.
            let ready = windows.iter().map(|window| Ok(reducer.prepare_answer(window)?.into_dispatches()));
            let samples = sampling.on_device(gpu, &ready.collect::<Result<Vec<Prepared>>>()?, reps(n))?;
            let clock_mhz = clock_mhz();
            let right = op.close(&reducer.reduce(first()?)?, want.context("no answer")?, host, false);
            return Ok(Measured { samples, right, compile_ms, clock_mhz });
        }
        let beside = arranged.map(|arranged| arranged.upload(gpu));
        let output = output_of(gpu, &reducer, arranged)?;
        let prepare = |window: &Input<'_, T>| prepared(&reducer, window, (arranged, beside.as_ref()), &output);
        let prepared = windows.iter().map(prepare).collect::<Result<Vec<Prepared>>>()?;
        let samples = sampling.on_device(gpu, &prepared, reps(n))?;
        let clock_mhz = clock_mhz();
        // What is timed is what is looked at.
        record(gpu, prepared.first().context("no window")?)?;
        let (found, words) = (gpu.download(&output)?, reducer.answer_words());
        let read = |at: usize, length: usize| Ok(op.read(&found[at * words..][..words], length as u64)?);
        let right = match (arranged, &beside) {
            (Some(arranged), Some(beside)) => arranged.right(op, host, read)? && arranged.found_runs(gpu, beside)?,
            _ => op.close(&read(0, host.len())?, want.context("no answer")?, host, true),
        };
        Ok(Measured { samples, right, compile_ms, clock_mhz })
    }
}

/// Reductions between two stamps.
pub fn reps(elements: u64) -> usize {
    if elements <= 1 << 22 { 200 } else { 20 }
}

/// Room for all answers.
fn output_of<T: Element, O: Op<T>>(
    gpu: &Gpu,
    reducer: &Reducer<T, O>,
    arranged: Option<&Arranged>,
) -> Result<wgpu::Buffer> {
    ensure!(
        reducer.answer_words() > 0,
        "{} has no answer on a device: its last step is the host's; pass --what answer or slice",
        reducer.op().signature()
    );
    let answers = arranged.map_or(1, Arranged::answers);
    Ok(gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: Some("answers"),
        size: (reducer.answer_bytes() * answers).next_multiple_of(256),
        usage: BufferUsages::STORAGE | BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    }))
}

fn prepared<T: Element, O: Op<T>>(
    reducer: &Reducer<T, O>,
    window: &Input<'_, T>,
    arranged: (Option<&Arranged>, Option<&OnDevice>),
    output: &wgpu::Buffer,
) -> Result<Prepared> {
    match arranged {
        (Some(arranged), Some(beside)) => arranged.prepare(beside, reducer, window.clone(), output),
        _ => Ok(reducer.prepare(window, output)?),
    }
}

/// Runs what is recorded, once.
fn record(gpu: &Gpu, prepared: &Prepared) -> Result<()> {
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    prepared.record(&mut encoder)?;
    gpu.queue().submit([encoder.finish()]);
    Ok(())
}
