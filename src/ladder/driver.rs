//! Buffers, dispatches, timestamps and readback: what the stages have in common on the device.

use super::text::ROW;
use crate::context::Context;
use crate::error::{Error, Result};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use wgpu::{BindingType, BufferBindingType, BufferUsages, Features, ShaderStages};

/// A device, and the pipelines that were made on it.
pub(super) struct Kit {
    pub context: Arc<Context>,
    bindings: wgpu::BindGroupLayout,
    layout: wgpu::PipelineLayout,
    pipelines: RefCell<HashMap<String, wgpu::ComputePipeline>>,
    /// Seconds of a tick; `None` where the device has no clock.
    tick: Option<f64>,
    /// Tests put a wrong kernel in here, to see that it is noticed.
    patch: Option<fn(String) -> String>,
}

impl Kit {
    pub fn new(context: Arc<Context>, patch: Option<fn(String) -> String>) -> Result<Kit> {
        let (bindings, layout) = context.guarded("the ladder's bindings", 0, || layouts(&context.device))?;
        let has_clock = context.device.features().contains(Features::TIMESTAMP_QUERY);
        let tick = has_clock.then(|| f64::from(context.queue.get_timestamp_period()) * 1e-9);
        Ok(Kit { context, bindings, layout, pipelines: RefCell::default(), tick, patch })
    }

    /// The pipeline of a text, from the cache where it was made before.
    pub fn pipeline(&self, text: String) -> Result<wgpu::ComputePipeline> {
        if let Some(pipeline) = self.pipelines.borrow().get(&text) {
            return Ok(pipeline.clone());
        }
        let patched = self.patch.map_or_else(|| text.clone(), |patch| patch(text.clone()));
        let descriptor = wgpu::ShaderModuleDescriptor {
            label: Some("treefold: ladder"),
            source: wgpu::ShaderSource::Wgsl(patched.as_str().into()),
        };
        let context = &self.context;
        let pipeline = context.guarded("a stage's pipeline", 0, || {
            let module = match self.patch {
                Some(_) => context.device.create_shader_module(descriptor),
                // SAFETY: the plan of a stage makes every buffer as long as its kernel reads and writes, padding
                // included; the loops end; no divisor is zero. The tests run every stage at the lengths around its
                // blocks, and without this, too: a patched text is checked.
                None => unsafe {
                    let unchecked = wgpu::ShaderRuntimeChecks::unchecked();
                    context.device.create_shader_module_trusted(descriptor, unchecked)
                },
            };
            context.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some("treefold: ladder"),
                layout: Some(&self.layout),
                module: &module,
                entry_point: Some("main"),
                compilation_options: wgpu::PipelineCompilationOptions {
                    zero_initialize_workgroup_memory: false,
                    ..Default::default()
                },
                cache: None,
            })
        })?;
        self.pipelines.borrow_mut().insert(text, pipeline.clone());
        Ok(pipeline)
    }

    /// The dispatches of one kernel over so many workgroups: full rows, then what is left of a row.
    ///
    /// `buffers` are bindings 0, 1, 2 and 4; `params` the first three words of `P`.
    pub fn dispatches(
        &self,
        pipeline: &wgpu::ComputePipeline,
        groups: u64,
        params: [u32; 3],
        buffers: [&wgpu::Buffer; 4],
    ) -> Result<Vec<Dispatch>> {
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
    ) -> Result<Dispatch> {
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
        Ok(Dispatch { pipeline: pipeline.clone(), bind_group, x, y })
    }

    /// A small buffer with these words, to be copied from.
    pub fn words(&self, words: &[u32]) -> Result<wgpu::Buffer> {
        let bytes = bytemuck::cast_slice(words);
        let buffer = self.context.mapped_buffer("padding", (bytes.len() as u64).max(4), BufferUsages::COPY_SRC)?;
        crate::context::fill(&buffer, 0, bytes)?;
        buffer.unmap();
        Ok(buffer)
    }

    /// Makes ready what a run needs besides its kernels: stamps, and the memory that answers come back in.
    pub fn prepare(&self, passes: Vec<Pass>, results: Vec<(wgpu::Buffer, u64)>) -> Result<Run> {
        let result_bytes: u64 = results.iter().map(|(_, words)| words * 4).sum();
        let stamps = passes.len() as u32 * 2;
        let clock = match self.tick {
            Some(_) if passes.iter().any(|pass| pass.timed != Timed::Nothing) => {
                let queries = self.context.guarded("timestamp queries", 0, || {
                    self.context.device.create_query_set(&wgpu::QuerySetDescriptor {
                        label: Some("treefold: ladder"),
                        ty: wgpu::QueryType::Timestamp,
                        count: stamps,
                    })
                })?;
                let usage = BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC;
                Some((queries, self.context.buffer("timestamps", u64::from(stamps) * 8, usage)?))
            }
            _ => None,
        };
        let stamps_at = result_bytes.next_multiple_of(8);
        let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        let host = self.context.buffer("partials on the host", stamps_at + u64::from(stamps) * 8 + 8, usage)?;
        Ok(Run { passes, results, clock, host, stamps_at })
    }
}

/// One dispatch, ready to be recorded.
#[derive(Clone)]
pub(super) struct Dispatch {
    pipeline: wgpu::ComputePipeline,
    bind_group: wgpu::BindGroup,
    x: u32,
    y: u32,
}

impl Dispatch {
    pub fn record(&self, compute: &mut wgpu::ComputePass) {
        compute.set_pipeline(&self.pipeline);
        compute.set_bind_group(0, &self.bind_group, &[]);
        compute.dispatch_workgroups(self.x, self.y, 1);
    }
}

/// Bytes from the start of one buffer into another.
pub(super) struct Copy {
    pub from: wgpu::Buffer,
    pub to: wgpu::Buffer,
    pub at: u64,
    pub size: u64,
}

/// What the clock runs for.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Timed {
    Kernels,
    Copies,
    Nothing,
}

/// Copies, then a compute pass.
pub(super) struct Pass {
    pub copies: Vec<Copy>,
    pub timed: Timed,
}

/// A series of passes that can be run again and again.
pub(super) struct Run {
    passes: Vec<Pass>,
    results: Vec<(wgpu::Buffer, u64)>,
    clock: Option<(wgpu::QuerySet, wgpu::Buffer)>,
    host: wgpu::Buffer,
    stamps_at: u64,
}

/// Seconds of each pass, and the words of each result.
pub(super) type Ran = (Vec<Option<f64>>, Vec<Vec<u32>>);

impl Run {
    /// Records every pass, `kernels` by its number, submits, waits, reads back.
    pub fn run(&self, kit: &Kit, kernels: impl Fn(usize, &mut wgpu::ComputePass) -> Result<()>) -> Result<Ran> {
        const WHAT: &str = "running a stage";
        let context = &kit.context;
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
        self.read(kit)
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
        for Copy { from, to, at, size } in &pass.copies {
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

    fn read(&self, kit: &Kit) -> Result<Ran> {
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
        // Stamps that stand still are no time at all: then it is unknown, not 0.
        let seconds = |at: usize| match (ticks.get(2 * at), ticks.get(2 * at + 1), kit.tick) {
            (Some(first), Some(last), Some(tick)) if last > first => Some((last - first) as f64 * tick),
            _ => None,
        };
        let seconds = (0..self.passes.len()).map(seconds).collect();
        drop(view);
        self.host.unmap();
        Ok((seconds, words))
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

/// Seconds that something took by the host's clock, and what came of it.
pub(super) fn timed<R>(work: impl FnOnce() -> R) -> (f64, R) {
    let start = Instant::now();
    let made = work();
    (start.elapsed().as_secs_f64(), made)
}
