//! The device as the stages use it: their pipelines, bindings and dispatches.

use super::text::ROW;
use crate::device::Context;
use crate::error::Result;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use wgpu::{BindingType, BufferBindingType, BufferUsages, Features, ShaderStages};

/// A device and its cache of pipelines.
pub(super) struct Driver {
    pub context: Arc<Context>,
    bindings: wgpu::BindGroupLayout,
    layout: wgpu::PipelineLayout,
    pipelines: RefCell<HashMap<String, wgpu::ComputePipeline>>,
    /// Seconds of a tick; `None` without a clock.
    pub tick: Option<f64>,
    /// A change of every text: tests put wrong kernels here.
    patch: Option<fn(String) -> String>,
}

impl Driver {
    pub fn new(context: Arc<Context>, patch: Option<fn(String) -> String>) -> Result<Driver> {
        let (bindings, layout) = context.guarded("the ladder's bindings", 0, || layouts(&context.device))?;
        let has_clock = context.device.features().contains(Features::TIMESTAMP_QUERY);
        let tick = has_clock.then(|| f64::from(context.queue.get_timestamp_period()) * 1e-9);
        Ok(Driver { context, bindings, layout, pipelines: RefCell::default(), tick, patch })
    }

    /// The pipeline of a text, cached.
    pub fn pipeline(&self, text: String) -> Result<wgpu::ComputePipeline> {
        if let Some(pipeline) = self.pipelines.borrow().get(&text) {
            return Ok(pipeline.clone());
        }
        let patched = self.patch.map_or_else(|| text.clone(), |patch| patch(text.clone()));
        let checks = match self.patch {
            Some(_) => wgpu::ShaderRuntimeChecks::checked(),
            None => wgpu::ShaderRuntimeChecks::unchecked(),
        };
        // SAFETY: the plan of a stage makes every buffer as long as its kernel reads and writes, padding included; the
        // loops end; no divisor is zero. The tests run every stage at the lengths around its blocks; patched texts keep
        // the checks.
        let pipeline = unsafe { self.context.compile("treefold: ladder", Some(&self.layout), &patched, checks) }?;
        self.pipelines.borrow_mut().insert(text, pipeline.clone());
        Ok(pipeline)
    }

    /// The dispatches of one kernel over so many workgroups: full rows, then the rest of a row.
    ///
    /// `buffers` are bindings 0, 1, 2 and 4; `params` the first three words of `P`.
    pub fn dispatches(
        &self,
        pipeline: &wgpu::ComputePipeline,
        groups: u64,
        params: [u32; 3],
        buffers: [&wgpu::Buffer; 4],
    ) -> Result<Vec<StageDispatch>> {
        let row = u64::from(ROW);
        let (rows, rest) = ((groups / row) as u32, (groups % row) as u32);
        let parts = [(ROW, rows, 0), (rest, 1, rows)];
        let parts = parts.into_iter().filter(|&(x, y, _)| x > 0 && y > 0);
        parts
            .map(|(x, y, row)| self.dispatch(pipeline, x, y, [params[0], params[1], params[2], row], buffers))
            .collect()
    }

    fn dispatch(
        &self,
        pipeline: &wgpu::ComputePipeline,
        x: u32,
        y: u32,
        params: [u32; 4],
        [first, second, output, answers]: [&wgpu::Buffer; 4],
    ) -> Result<StageDispatch> {
        let uniform = self.context.parameters(bytemuck::cast_slice(&params).to_vec())?;
        let entries = [(0, first), (1, second), (2, output), (3, &uniform), (4, answers)];
        let entries =
            entries.map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() });
        let bind_group = self.context.guarded("a stage's bindings", 0, || {
            self.context.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("treefold: ladder"),
                layout: &self.bindings,
                entries: &entries,
            })
        })?;
        Ok(StageDispatch { pipeline: pipeline.clone(), bind_group, x, y })
    }

    /// A small buffer with these words, to be copied from.
    pub fn words(&self, words: &[u32]) -> Result<wgpu::Buffer> {
        let bytes = bytemuck::cast_slice(words);
        let buffer = self.context.mapped_buffer("padding", (bytes.len() as u64).max(4), BufferUsages::COPY_SRC)?;
        crate::device::fill(&buffer, 0, bytes)?;
        buffer.unmap();
        Ok(buffer)
    }
}

/// One dispatch, ready to be recorded.
#[derive(Clone)]
pub(super) struct StageDispatch {
    pipeline: wgpu::ComputePipeline,
    bind_group: wgpu::BindGroup,
    x: u32,
    y: u32,
}

impl StageDispatch {
    pub fn record(&self, compute: &mut wgpu::ComputePass) {
        compute.set_pipeline(&self.pipeline);
        compute.set_bind_group(0, &self.bind_group, &[]);
        compute.dispatch_workgroups(self.x, self.y, 1);
    }
}

fn layouts(device: &wgpu::Device) -> (wgpu::BindGroupLayout, wgpu::PipelineLayout) {
    let read = BufferBindingType::Storage { read_only: true };
    let write = BufferBindingType::Storage { read_only: false };
    let types = [read, read, write, BufferBindingType::Uniform, read];
    let entries: Vec<_> = (0..)
        .zip(types)
        .map(|(binding, ty)| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: ShaderStages::COMPUTE,
            ty: BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        })
        .collect();
    let label = Some("treefold: ladder");
    let bindings = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label,
        bind_group_layouts: &[Some(&bindings)],
        immediate_size: 0,
    });
    (bindings, layout)
}
