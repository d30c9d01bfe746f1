//! Samples of times: by the device's clock between two points of a submission, and by the host's.

use anyhow::{Result, ensure};
use std::time::{Duration, Instant};
use treefold::wgpu::{self, BufferUsages, Features};
use treefold::{Gpu, Prepared};

/// The samples of a figure.
#[derive(Clone, Copy, Debug)]
pub struct Sampling {
    pub samples: usize,
    /// Time of work before the first sample: GPUs that idle run slowly, those that work for long at the clock that their power allows.
    pub warm: Duration,
}

/// Time that a sample of the host's clock takes at least, by as many calls.
const SAMPLE: Duration = Duration::from_millis(1);

/// Time that a sample of the device's clock takes at most, if a reduction does not.
const ENOUGH: Duration = Duration::from_millis(20);

/// Time after which no more samples are taken: what takes so long varies little.
const LONGEST: Duration = Duration::from_secs(20);

impl Sampling {
    /// Takes samples from the third on, behind the work that warms.
    fn take(self, mut sample: impl FnMut() -> Result<f64>) -> Result<Vec<f64>> {
        let (begun, mut taken, mut times) = (Instant::now(), 0, vec![]);
        while times.len() < self.samples {
            let time = sample()?;
            taken += 1;
            let late = begun.elapsed() >= self.warm + LONGEST;
            if late || taken > 2 && begun.elapsed() >= self.warm {
                times.push(time);
            }
            if late {
                break;
            }
        }
        times.sort_by(f64::total_cmp);
        Ok(times)
    }

    /// Microseconds of one of these, of which so many are recorded in a sample, in turn, by the device's clock.
    pub fn on_device(self, gpu: &Gpu, prepared: &[Prepared], reps: usize) -> Result<Vec<f64>> {
        let (device, queue) = (gpu.device(), gpu.queue());
        let clock = Features::TIMESTAMP_QUERY | Features::TIMESTAMP_QUERY_INSIDE_ENCODERS;
        ensure!(
            device.features().contains(clock),
            "{} has no clock for kernels; pass --what answer,slice",
            gpu.info().name
        );
        // One, until its time is known: the first samples only warm.
        let (most, mut reps) = (reps.max(1), 1);
        self.take(|| {
            let stamps = Stamps::new(device);
            let mut encoder = device.create_command_encoder(&Default::default());
            encoder.write_timestamp(&stamps.queries, 0);
            let mut pass = encoder.begin_compute_pass(&Default::default());
            for rep in 0..reps {
                prepared[rep % prepared.len()].record_in_pass(&mut pass)?;
            }
            drop(pass);
            encoder.write_timestamp(&stamps.queries, 1);
            let taken = stamps.finish(device, queue, encoder)?;
            let each = taken / reps as f64;
            // What takes long needs no repetition.
            reps = most.min((ENOUGH.as_nanos() as f64 / each.max(1.0)).max(1.0) as usize);
            Ok(each / 1e3)
        })
    }

    /// Microseconds of a call, by the host's clock.
    pub fn on_host(self, mut call: impl FnMut() -> Result<()>) -> Result<Vec<f64>> {
        let begun = Instant::now();
        call()?;
        let first = begun.elapsed().max(Duration::from_nanos(1));
        let mut reps = (SAMPLE.as_nanos() / first.as_nanos()).clamp(1, 100_000) as u32;
        self.take(|| {
            let begun = Instant::now();
            (0..reps).try_for_each(|_| call())?;
            let taken = begun.elapsed();
            let each = taken.as_secs_f64() * 1e6 / f64::from(reps);
            // The first call takes longer than those behind it.
            if taken < SAMPLE {
                reps = reps.saturating_mul(2).min(100_000);
            }
            Ok(each)
        })
    }
}

/// Two timestamps.
struct Stamps {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    host: wgpu::Buffer,
}

impl Stamps {
    fn new(device: &wgpu::Device) -> Stamps {
        let describe = |usage| wgpu::BufferDescriptor { label: None, size: 16, usage, mapped_at_creation: false };
        let ty = wgpu::QueryType::Timestamp;
        Stamps {
            queries: device.create_query_set(&wgpu::QuerySetDescriptor { label: None, ty, count: 2 }),
            resolved: device.create_buffer(&describe(BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC)),
            host: device.create_buffer(&describe(BufferUsages::MAP_READ | BufferUsages::COPY_DST)),
        }
    }

    /// Submits, waits, and gives the nanoseconds between the two stamps.
    fn finish(&self, device: &wgpu::Device, queue: &wgpu::Queue, mut encoder: wgpu::CommandEncoder) -> Result<f64> {
        encoder.resolve_query_set(&self.queries, 0..2, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.host, 0, 16);
        queue.submit([encoder.finish()]);
        self.host.map_async(wgpu::MapMode::Read, .., |_| ());
        device.poll(wgpu::PollType::Wait { submission_index: None, timeout: Some(WAIT) })?;
        let view = self.host.get_mapped_range(..)?;
        let ticks: &[u64] = bytemuck::cast_slice(&view);
        Ok(ticks[1].saturating_sub(ticks[0]) as f64 * f64::from(queue.get_timestamp_period()))
    }
}

/// Time that a device may take over a sample.
const WAIT: Duration = Duration::from_secs(120);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_as_many_as_asked_for_and_sorted() {
        let sampling = Sampling { samples: 5, warm: Duration::ZERO };
        let mut times = [9.0, 8.0, 3.0, 1.0, 5.0, 2.0, 4.0].into_iter();
        let found = sampling.take(|| Ok(times.next().expect("no more than seven"))).unwrap();
        // The first two only warm.
        assert_eq!(found, [1.0, 2.0, 3.0, 4.0, 5.0]);
        let mut calls = 0u64;
        let found = sampling.on_host(|| {
            calls += 1;
            std::thread::sleep(Duration::from_micros(300));
            Ok(())
        });
        let found = found.unwrap();
        assert!(found.len() == 5 && found.iter().all(|&us| us >= 300.0) && calls > 7, "{found:?} {calls}");
        assert!(sampling.on_host(|| anyhow::bail!("a fault")).is_err());
    }
}
