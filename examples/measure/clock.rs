//! Time between two points of a submission, by the device's clock.

use super::Outcome;
use std::time::{Duration, Instant};
use treefold::wgpu::{self, BufferUsages};
use treefold::{Gpu, Prepared};

/// The samples of a figure.
#[derive(Clone, Copy, Debug)]
pub struct Sampling {
    pub samples: usize,
    /// Time for which the device works before the first sample: GPUs that idle run slowly, those that work for long at the clock that
    /// their power allows.
    pub warm: Duration,
}

/// Microseconds of one of these, of which so many are recorded in a sample, in turn: the median, the fastest and the slowest.
pub fn timed(gpu: &Gpu, prepared: &[Prepared], reps: usize, sampling: Sampling) -> Outcome<[f64; 3]> {
    let (device, queue) = (gpu.device(), gpu.queue());
    let mut times = Vec::new();
    let (begun, mut sample) = (Instant::now(), 0);
    while times.len() < sampling.samples {
        let start = Instant::now();
        let stamps = Stamps::new(device);
        let mut encoder = device.create_command_encoder(&Default::default());
        encoder.write_timestamp(&stamps.queries, 0);
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for rep in 0..reps {
            prepared[rep % prepared.len()].record_in_pass(&mut pass)?;
        }
        drop(pass);
        encoder.write_timestamp(&stamps.queries, 1);
        let nanoseconds = stamps.finish(device, queue, encoder)?;
        sample += 1;
        if sample > 2 && begun.elapsed() >= sampling.warm {
            times.push(nanoseconds / 1e3 / reps as f64);
        }
        if start.elapsed().as_secs() > 20 && !times.is_empty() {
            break;
        }
    }
    times.sort_by(f64::total_cmp);
    Ok([times[times.len() / 2], times[0], times[times.len() - 1]])
}

/// Two timestamps.
pub struct Stamps {
    pub queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    host: wgpu::Buffer,
}

impl Stamps {
    pub fn new(device: &wgpu::Device) -> Stamps {
        let describe = |usage| wgpu::BufferDescriptor { label: None, size: 16, usage, mapped_at_creation: false };
        let ty = wgpu::QueryType::Timestamp;
        Stamps {
            queries: device.create_query_set(&wgpu::QuerySetDescriptor { label: None, ty, count: 2 }),
            resolved: device.create_buffer(&describe(BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC)),
            host: device.create_buffer(&describe(BufferUsages::MAP_READ | BufferUsages::COPY_DST)),
        }
    }

    /// Submits, waits, and gives the nanoseconds between the two stamps.
    pub fn finish(
        &self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        mut encoder: wgpu::CommandEncoder,
    ) -> Outcome<f64> {
        encoder.resolve_query_set(&self.queries, 0..2, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.host, 0, 16);
        queue.submit([encoder.finish()]);
        self.host.map_async(wgpu::MapMode::Read, .., |_| ());
        device.poll(wgpu::PollType::wait_indefinitely())?;
        let view = self.host.get_mapped_range(..)?;
        let ticks: &[u64] = bytemuck::cast_slice(&view);
        Ok((ticks[1] - ticks[0]) as f64 * f64::from(queue.get_timestamp_period()))
    }
}
