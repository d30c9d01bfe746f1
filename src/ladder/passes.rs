//! Series of timed passes: recording, submission, readback and the device's clock.

use super::driver::Driver;
use crate::error::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use web_time::Instant;
use wgpu::BufferUsages;

/// Bytes from the start of one buffer into another.
pub(super) struct BufferCopy {
    pub from: wgpu::Buffer,
    pub to: wgpu::Buffer,
    pub at: u64,
    pub size: u64,
}

/// The part of a pass that the device's clock measures.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Timed {
    Kernels,
    Copies,
    Nothing,
}

/// Copies, then a compute pass.
pub(super) struct TimedPass {
    pub copies: Vec<BufferCopy>,
    pub timed: Timed,
}

/// A series of passes that can be run again and again.
pub(super) struct PassSeries {
    passes: Vec<TimedPass>,
    results: Vec<(wgpu::Buffer, u64)>,
    clock: Option<(wgpu::QuerySet, wgpu::Buffer)>,
    host: wgpu::Buffer,
    stamps_at: u64,
}

/// One run of a series.
pub(super) struct Measured {
    /// Of each pass, by the device's clock.
    pub seconds: Vec<Option<f64>>,
    /// Of each result.
    pub words: Vec<Vec<u32>>,
}

impl PassSeries {
    /// A series with its timestamps and its memory for the results on the host.
    pub fn new(driver: &Driver, passes: Vec<TimedPass>, results: Vec<(wgpu::Buffer, u64)>) -> Result<PassSeries> {
        let context = &driver.context;
        let result_bytes: u64 = results.iter().map(|(_, words)| words * 4).sum();
        let stamps = passes.len() as u32 * 2;
        let clock = match driver.tick {
            Some(_) if passes.iter().any(|pass| pass.timed != Timed::Nothing) => {
                let queries = context.guarded("timestamp queries", 0, || {
                    context.device.create_query_set(&wgpu::QuerySetDescriptor {
                        label: Some("treefold: ladder"),
                        ty: wgpu::QueryType::Timestamp,
                        count: stamps,
                    })
                })?;
                let usage = BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC;
                Some((queries, context.buffer("timestamps", u64::from(stamps) * 8, usage)?))
            }
            _ => None,
        };
        let stamps_at = result_bytes.next_multiple_of(8);
        let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        let host = context.buffer("partials on the host", stamps_at + u64::from(stamps) * 8 + 8, usage)?;
        Ok(PassSeries { passes, results, clock, host, stamps_at })
    }

    /// Records every pass, with `kernels` by its index, submits, waits, reads back.
    pub fn run(
        &self,
        driver: &Driver,
        kernels: impl Fn(usize, &mut wgpu::ComputePass) -> Result<()>,
    ) -> Result<Measured> {
        const WHAT: &str = "running a stage";
        let context = &driver.context;
        let descriptor = wgpu::CommandEncoderDescriptor { label: Some("treefold: ladder") };
        let mut recorded = Ok(());
        let submission = context.guarded("a stage's submission", 0, || {
            let mut encoder = context.device.create_command_encoder(&descriptor);
            for at in 0..self.passes.len() {
                if let Err(error) = self.record(&mut encoder, at, &kernels) {
                    recorded = Err(error);
                }
            }
            self.collect(&mut encoder);
            context.queue.submit([encoder.finish()])
        })?;
        recorded?;
        let (done, failed) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (is_done, has_failed) = (done.clone(), failed.clone());
        self.host.map_async(wgpu::MapMode::Read, .., move |mapped| {
            has_failed.store(mapped.is_err(), Ordering::Release);
            is_done.store(true, Ordering::Release);
        });
        context.wait(&submission, WHAT, || done.load(Ordering::Acquire))?;
        if failed.load(Ordering::Acquire) {
            return Err(Error::DeviceLost { what: WHAT, message: "the partials could not be mapped".into() });
        }
        self.read(driver)
    }

    fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        at: usize,
        kernels: impl Fn(usize, &mut wgpu::ComputePass) -> Result<()>,
    ) -> Result<()> {
        let pass = &self.passes[at];
        let (first, last) = (at as u32 * 2, at as u32 * 2 + 1);
        let (of_copies, of_kernels) = match (&self.clock, pass.timed) {
            (Some((queries, _)), Timed::Copies) => (Some(queries), None),
            (Some((queries, _)), Timed::Kernels) => (None, Some(queries)),
            _ => (None, None),
        };
        if let Some(queries) = of_copies {
            encoder.write_timestamp(queries, first);
        }
        for BufferCopy { from, to, at, size } in &pass.copies {
            encoder.copy_buffer_to_buffer(from, 0, to, *at, *size);
        }
        if let Some(queries) = of_copies {
            encoder.write_timestamp(queries, last);
        }
        if pass.timed != Timed::Kernels {
            return Ok(());
        }
        let timestamp_writes = of_kernels.map(|query_set| wgpu::ComputePassTimestampWrites {
            query_set,
            beginning_of_pass_write_index: Some(first),
            end_of_pass_write_index: Some(last),
        });
        let label = Some("treefold: ladder");
        let mut compute = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label, timestamp_writes });
        kernels(at, &mut compute)
    }

    fn collect(&self, encoder: &mut wgpu::CommandEncoder) {
        let mut at = 0;
        for (buffer, words) in &self.results {
            encoder.copy_buffer_to_buffer(buffer, 0, &self.host, at, words * 4);
            at += words * 4;
        }
        if let Some((queries, resolved)) = &self.clock {
            let stamps = self.passes.len() as u32 * 2;
            encoder.resolve_query_set(queries, 0..stamps, resolved, 0);
            encoder.copy_buffer_to_buffer(resolved, 0, &self.host, self.stamps_at, u64::from(stamps) * 8);
        }
    }

    fn read(&self, driver: &Driver) -> Result<Measured> {
        let refused =
            |error: wgpu::MapRangeError| Error::Refused { what: "mapping partials", message: error.to_string() };
        let view = self.host.get_mapped_range(..).map_err(refused)?;
        let mut rest = &view[..];
        let mut words = Vec::new();
        for (_, count) in &self.results {
            let (these, others) = rest.split_at(*count as usize * 4);
            words.push(these.chunks_exact(4).map(bytemuck::pod_read_unaligned).collect());
            rest = others;
        }
        let ticks: Vec<u64> =
            view[self.stamps_at as usize..].chunks_exact(8).map(bytemuck::pod_read_unaligned).collect();
        // Two equal stamps tell no time: it is unknown, not 0.
        let seconds = |at: usize| match (ticks.get(2 * at), ticks.get(2 * at + 1), driver.tick) {
            (Some(first), Some(last), Some(tick)) if last > first => Some((last - first) as f64 * tick),
            _ => None,
        };
        let seconds = (0..self.passes.len()).map(seconds).collect();
        drop(view);
        self.host.unmap();
        Ok(Measured { seconds, words })
    }
}

/// Seconds of some work by the host's clock, and its result.
pub(super) fn timed<R>(work: impl FnOnce() -> R) -> (f64, R) {
    let start = Instant::now();
    let result = work();
    (start.elapsed().as_secs_f64(), result)
}
