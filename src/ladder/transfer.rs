//! The way from host memory to the answer: in one piece, and in parts that overlap.

use super::passes::{BufferCopy, PassSeries, Timed, TimedPass};
use super::production::ProductionRun;
use super::{Ladder, Operator};
use crate::device::fill;
use crate::error::Result;
use crate::ops::{Min, Sum};
use crate::{Op, StreamOptions};
use std::time::Duration;
use web_time::Instant;
use wgpu::{BufferUsages, Features};

/// Seconds from host memory to the answer, and their parts.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Transfer {
    /// The whole, by the host's clock.
    pub total_seconds: f64,
    /// Of these, copying to staging memory on the host.
    pub host_copy_seconds: f64,
    /// Of these, copying to the device, by its clock; `None` without one.
    pub upload_seconds: Option<f64>,
    /// Of these, the kernels, by the device's clock.
    pub kernel_seconds: Option<f64>,
}

/// The input in one piece, then the kernel, as in the tutorial: nothing overlaps.
pub(super) fn one_piece(ladder: &Ladder) -> Result<Transfer> {
    match ladder.operator {
        Operator::Sum => one_piece_of(ladder, Sum),
        Operator::Min => one_piece_of(ladder, Min),
    }
}

fn one_piece_of<O: Op<i32>>(ladder: &Ladder, op: O) -> Result<Transfer> {
    let driver = &ladder.driver;
    let bytes: &[u8] = bytemuck::cast_slice(ladder.elements.ints());
    let size = bytes.len() as u64;
    let device = driver.context.buffer("one piece", size, BufferUsages::STORAGE | BufferUsages::COPY_DST)?;
    let production = ProductionRun::<i32, O>::new(ladder, op, device.clone())?;
    let stamps = driver.context.device.features().contains(Features::TIMESTAMP_QUERY_INSIDE_ENCODERS);
    let once = || -> Result<Transfer> {
        let usage = BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC;
        let staging = driver.context.mapped_buffer("one piece on the host", size, usage)?;
        let copies = vec![BufferCopy { from: staging.clone(), to: device.clone(), at: 0, size }];
        let copy = TimedPass { copies, timed: if stamps { Timed::Copies } else { Timed::Nothing } };
        let kernel = TimedPass { copies: Vec::new(), timed: Timed::Kernels };
        let answer = (production.answer.clone(), production.answer.size() / 4);
        let series = PassSeries::new(driver, vec![copy, kernel], vec![answer])?;
        let start = Instant::now();
        fill(&staging, 0, bytes)?;
        staging.unmap();
        let host_copy_seconds = start.elapsed().as_secs_f64();
        let kernels =
            |pass, compute: &mut wgpu::ComputePass| if pass == 1 { production.record(compute) } else { Ok(()) };
        let measured = series.run(driver, kernels)?;
        let at = |pass: usize| measured.seconds.get(pass).copied().flatten();
        Ok(Transfer {
            total_seconds: start.elapsed().as_secs_f64(),
            host_copy_seconds,
            upload_seconds: at(0),
            kernel_seconds: at(1),
        })
    };
    best_of_four(once)
}

/// The same by the library's stream: while the device works on one part, the host copies the next.
pub(super) fn in_parts(ladder: &Ladder) -> Result<Transfer> {
    match ladder.operator {
        Operator::Sum => best_of_four(|| stream(ladder, Sum)),
        Operator::Min => best_of_four(|| stream(ladder, Min)),
    }
}

/// In parts of an eighth, at least 4 MiB each.
fn stream<O: Op<i32>>(ladder: &Ladder, op: O) -> Result<Transfer> {
    let part = (ladder.count() / 8).max(1 << 20);
    let options = StreamOptions { elements_hint: Some(part), ..Default::default() };
    let start = Instant::now();
    let mut stream = ladder.gpu.stream(op, &options)?;
    stream.push(ladder.elements.ints())?;
    let done = stream.finish()?;
    let seconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64());
    Ok(Transfer {
        total_seconds: start.elapsed().as_secs_f64(),
        host_copy_seconds: done.copy_time.as_secs_f64(),
        upload_seconds: seconds(done.upload_time),
        kernel_seconds: seconds(done.kernel_time),
    })
}

/// The shortest of four; the first warms up.
fn best_of_four(once: impl Fn() -> Result<Transfer>) -> Result<Transfer> {
    let mut best = once()?;
    for _ in 0..3 {
        let this = once()?;
        if this.total_seconds < best.total_seconds {
            best = this;
        }
    }
    Ok(best)
}
