//! A plan into the caller's encoder.

use crate::context::Context;
use crate::element::Element;
use crate::error::Result;
use crate::op::{Accumulator, Op};
use crate::plan::{Params, Pass, Plan, Planner, Shape, Source, Target};
use crate::shader::{self, Kernel, Store, Variant};
use std::sync::Arc;
use wgpu::{BindingResource, BufferBinding};

/// An operator on a device: its plans and its shaders, without its host half.
#[derive(Debug)]
pub(crate) struct Recorder {
    pub context: Arc<Context>,
    pub planner: Planner,
    dtype: crate::Dtype,
    answer_words: usize,
    /// The operator's text without and with `shuffle`.
    operator: [String; 2],
}

/// Where the last pass of a plan leaves its result.
pub(crate) struct Place<'a> {
    pub buffer: &'a wgpu::Buffer,
    /// First byte of the binding; keeps the device's alignment.
    pub offset: u64,
    pub size: u64,
    /// Which slot of the binding: results, or words for an answer.
    pub slot: u32,
    pub store: Store,
}

impl Recorder {
    pub fn new<T: Element, O: Op<T>>(context: Arc<Context>, op: &O) -> Result<Recorder> {
        let shape = Shape { acc_bytes: O::Acc::WORDS as u64 * 4, commutative: O::COMMUTATIVE };
        let planner = Planner::new(context.facts, context.tuning, shape)?;
        let operator = [false, true].map(|subgroups| op.module(subgroups));
        let recorder = Recorder { context, planner, dtype: T::DTYPE, answer_words: O::ANSWER_WORDS, operator };
        Ok(recorder)
    }

    /// The text of one of this operator's shaders.
    pub fn source(&self, variant: &Variant) -> String {
        let subgroups = matches!(variant.finish, shader::Finish::Subgroups { .. });
        shader::source(&self.operator[usize::from(subgroups)], self.answer_words, self.dtype, variant)
    }

    fn pipeline(&self, pass: &Pass, store: Store) -> Result<wgpu::ComputePipeline> {
        let variant = Variant { store, ..self.planner.variant(pass.kernel, pass.workgroup_size) };
        self.context.pipeline(pass.kernel, self.source(&variant))
    }

    /// Records all dispatches of a plan.
    pub fn record(
        &self,
        compute: &mut wgpu::ComputePass,
        plan: &Plan,
        inputs: &[&wgpu::Buffer],
        place: &Place,
    ) -> Result<()> {
        let context = &self.context;
        let store = |pass: &Pass| if pass.target == Target::Result { place.store } else { Store::Partial };
        let pipelines: Vec<_> =
            plan.passes.iter().map(|pass| self.pipeline(pass, store(pass))).collect::<Result<_>>()?;
        let scratch = if plan.partials > 0 { Some(context.scratch(plan.scratch_bytes)?) } else { None };
        let (params, stride) = self.params(plan, place)?;

        context.guarded("the dispatches of a reduction", 0, || {
            for (number, (pass, pipeline)) in plan.passes.iter().zip(&pipelines).enumerate() {
                let partials = scratch.as_ref().map(|buffer| whole(buffer, 0, plan.scratch_bytes));
                let target = match pass.target {
                    Target::Partials => partials.clone(),
                    Target::Result => Some(whole(place.buffer, place.offset, place.size)),
                };
                let (quads, words) = match pass.source {
                    Source::Partials => (partials, None),
                    Source::Nothing => {
                        (Some(context.nothing.as_entire_binding()), Some(context.nothing.as_entire_binding()))
                    }
                    Source::Window { buffer, offset_bytes, size_bytes } => {
                        let window = whole(inputs[buffer], offset_bytes, size_bytes);
                        // A window without a whole quad cannot be bound as quads, and none are read.
                        let quads = if size_bytes < 16 { context.nothing.as_entire_binding() } else { window.clone() };
                        (Some(quads), Some(window))
                    }
                };
                let offset = number as u64 * stride;
                let told = whole(&params, offset, size_of::<Params>() as u64);
                let resources = [(0, quads), (1, words), (2, Some(told)), (3, target)];
                let entries: Vec<_> = resources
                    .into_iter()
                    .filter_map(|(binding, resource)| Some(wgpu::BindGroupEntry { binding, resource: resource? }))
                    .collect();
                let Some(layout) = context.bind_group_layout(pass.kernel) else { continue };
                let group = context.device.create_bind_group(&wgpu::BindGroupDescriptor {
                    label: Some("treefold"),
                    layout,
                    entries: &entries,
                });
                compute.set_pipeline(pipeline);
                compute.set_bind_group(0, &group, &[]);
                compute.dispatch_workgroups(pass.workgroups, 1, 1);
            }
        })
    }

    /// What every pass is told, and the bytes from one to the next.
    fn params(&self, plan: &Plan, place: &Place) -> Result<(wgpu::Buffer, u64)> {
        let stride = (size_of::<Params>() as u64).next_multiple_of(self.context.facts.uniform_alignment);
        let mut bytes = vec![0u8; plan.passes.len() * stride as usize];
        for (room, pass) in bytes.chunks_mut(stride as usize).zip(&plan.passes) {
            let mut params = pass.params;
            if pass.target == Target::Result {
                params.slot = place.slot;
            }
            room[..size_of::<Params>()].copy_from_slice(bytemuck::bytes_of(&params));
        }
        Ok((self.context.parameters(bytes)?, stride))
    }

    /// Makes the pipelines that a plan will need, so that its first run does not wait for the compiler.
    pub fn prepare(&self, plan: &Plan, store: Store) -> Result<()> {
        for pass in &plan.passes {
            self.pipeline(pass, if pass.target == Target::Result { store } else { Store::Partial })?;
        }
        Ok(())
    }

    /// A plan in lines for people.
    pub fn explain(&self, plan: &Plan) -> Vec<String> {
        let mut lines = vec![format!(
            "{} elements, {} in all; {} bytes of partials",
            plan.elements,
            if plan.passes.len() == 1 { "1 dispatch".into() } else { format!("{} dispatches", plan.passes.len()) },
            plan.scratch_bytes
        )];
        for pass in &plan.passes {
            let finish = self.planner.finish(pass.workgroup_size);
            let reads = match pass.source {
                Source::Window { buffer, offset_bytes, size_bytes } => {
                    format!("buffer {buffer}, binding of {size_bytes} bytes from byte {offset_bytes}")
                }
                Source::Partials => format!("{} partials", pass.params.count),
                Source::Nothing => "nothing".into(),
            };
            let kernel = match pass.kernel {
                Kernel::Reduce => "reduce",
                Kernel::Combine => "combine",
            };
            lines.push(format!(
                "{kernel}: {} workgroups of {}, {finish:?} finish, {} loads in flight, {} loop trips at most; reads {reads}",
                pass.workgroups,
                pass.workgroup_size,
                self.planner.tuning().loads_in_flight,
                pass.trips,
            ));
        }
        lines
    }
}

/// A compute pass of this crate.
pub(crate) fn compute_pass(encoder: &mut wgpu::CommandEncoder) -> wgpu::ComputePass<'_> {
    encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some("treefold"), timestamp_writes: None })
}

fn whole(buffer: &wgpu::Buffer, offset: u64, size: u64) -> BindingResource<'_> {
    BindingResource::Buffer(BufferBinding { buffer, offset, size: std::num::NonZero::new(size) })
}
