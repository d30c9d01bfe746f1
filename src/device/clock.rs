//! The device's clock: timestamps around copies and kernels.

use super::context::Context;
use crate::error::Result;
use std::time::Duration;
use wgpu::{BufferUsages, Features};

/// The device's clock: how long copies and kernels took.
#[derive(Debug)]
pub(crate) struct Clock {
    /// Nanoseconds of a tick; `None` where the device has no timestamps in encoders.
    period: Option<f32>,
    /// Ticks of copies, ticks of kernels.
    ticks: Option<[u64; 2]>,
    copies: bool,
}

/// Three timestamps: before the copy, between copy and kernels, behind the kernels.
#[derive(Debug)]
pub(crate) struct Stamps {
    pub queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    host: wgpu::Buffer,
}

const STAMPS: u32 = 3;

impl Clock {
    pub fn new(context: &Context, copies: bool) -> Clock {
        let features = context.device.features();
        let has = features.contains(Features::TIMESTAMP_QUERY | Features::TIMESTAMP_QUERY_INSIDE_ENCODERS);
        let period = has.then(|| context.queue.get_timestamp_period());
        Clock { period, ticks: Some([0, 0]), copies }
    }

    pub fn stamps(&self, context: &Context) -> Result<Option<Stamps>> {
        if self.period.is_none() {
            return Ok(None);
        }
        let bytes = u64::from(STAMPS) * 8;
        let queries = context.guarded("timestamp queries", 0, || {
            context.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("treefold: timestamps"),
                ty: wgpu::QueryType::Timestamp,
                count: STAMPS,
            })
        })?;
        let resolved = context.buffer("timestamps", bytes, BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC)?;
        let host = context.buffer("timestamp readback", bytes, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?;
        Ok(Some(Stamps { queries, resolved, host }))
    }

    /// Adds a landed slot's times. Timestamps that did not come, or that stand still, make the time unknown.
    pub fn read(&mut self, stamps: Option<&Stamps>) {
        let ticks = stamps.and_then(Stamps::read).filter(|[before, _, after]| before < after);
        self.ticks = match (self.ticks, ticks) {
            (Some([copies, kernels]), Some([before, between, after])) => {
                Some([copies + between.saturating_sub(before), kernels + after.saturating_sub(between)])
            }
            _ => None,
        };
    }

    fn time(&self, ticks: impl Fn([u64; 2]) -> u64) -> Option<Duration> {
        let nanoseconds = self.ticks.map(ticks)? as f64 * f64::from(self.period?);
        Some(Duration::from_nanos(nanoseconds as u64))
    }

    pub fn upload(&self) -> Option<Duration> {
        if self.copies { self.time(|[copies, _]| copies) } else { Some(Duration::ZERO) }
    }

    pub fn kernel(&self) -> Option<Duration> {
        self.time(|[_, kernels]| kernels)
    }
}

impl Stamps {
    pub fn resolve(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.resolve_query_set(&self.queries, 0..STAMPS, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.host, 0, self.host.size());
    }

    /// Asks for the stamps of the submission just made; they are there when its result is.
    pub fn request(&self) {
        self.host.map_async(wgpu::MapMode::Read, .., |_| ());
    }

    fn read(&self) -> Option<[u64; 3]> {
        let view = self.host.get_mapped_range(..).ok()?;
        let stamps: Vec<u64> = view.chunks_exact(8).map(bytemuck::pod_read_unaligned).collect();
        drop(view);
        self.host.unmap();
        stamps.try_into().ok()
    }
}
