//! Time between two points of a submission, by the device's clock.

use super::Outcome;
use treefold::wgpu::{self, BufferUsages};

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
