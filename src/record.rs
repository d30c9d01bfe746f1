//! A plan into the caller's encoder.

use crate::context::Context;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::op::{Accumulator, Op};
use crate::plan::{Params, Pass, Plan, Planner, Shape, Source, Target};
use crate::shader::{self, Dialect, Exact, Kernel, Module, Store, Variant};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
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
    /// How it keeps an exact sum.
    pub exact: Exact,
    /// Whether its kernels need no guard against endless loops.
    ends: bool,
    pipelines: Mutex<HashMap<Variant, wgpu::ComputePipeline>>,
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
    /// With the first kernel that passes its self-test, where the operator is an exact one.
    pub fn new<T: Element, O: Op<T>>(context: Arc<Context>, op: &O) -> Result<Recorder> {
        let exact = crate::selftest::choose::<T, O>(&context, op)?;
        Recorder::with_exact::<T, O>(context, op, exact)
    }

    /// With a kernel of the caller's choice.
    pub fn with_exact<T: Element, O: Op<T>>(context: Arc<Context>, op: &O, exact: Exact) -> Result<Recorder> {
        let modules = [false, true].map(|subgroups| op.module(Dialect { subgroups, exact }));
        let planner = Planner::new(context.facts, context.tuning, shape::<T, O>(&modules[0]))?;
        let ends = modules.iter().all(|module| module.ends);
        let operator = modules.map(|module| module.text);
        let (dtype, answer_words) = (T::DTYPE, O::ANSWER_WORDS);
        Ok(Recorder { context, planner, dtype, answer_words, operator, exact, ends, pipelines: Mutex::default() })
    }

    /// The text of one of this operator's shaders.
    pub fn source(&self, variant: &Variant) -> String {
        shader::source(&self.operator[usize::from(variant.finish.subgroups())], self.answer_words, self.dtype, variant)
    }

    /// The shader variant of a pass, storing partials.
    pub fn variant(&self, pass: &Pass) -> Variant {
        let zipped = matches!(pass.source, Source::Window { other: Some(_), .. });
        Variant { zipped, ..self.planner.variant(pass.kernel, pass.workgroup_size) }
    }

    fn pipeline(&self, pass: &Pass, store: Store) -> Result<wgpu::ComputePipeline> {
        let variant = Variant { store, ..self.variant(pass) };
        let mut pipelines = self.pipelines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = pipelines.get(&variant) {
            return Ok(pipeline.clone());
        }
        let pipeline = self.context.pipeline(pass.kernel, self.source(&variant), self.ends)?;
        pipelines.insert(variant, pipeline.clone());
        Ok(pipeline)
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
        let (value, needs) = (context.facts.binding_bytes_max, plan.scratch_bytes);
        if needs > value {
            return Err(Error::LimitTooSmall { limit: "max_storage_buffer_binding_size", value, needs });
        }
        let store = |pass: &Pass| if pass.target == Target::Result { place.store } else { Store::Partial };
        let pipelines: Vec<_> =
            plan.passes.iter().map(|pass| self.pipeline(pass, store(pass))).collect::<Result<_>>()?;
        let scratch = if plan.partials > 0 { Some(context.scratch(plan.scratch_bytes)?) } else { None };
        let (params, stride) = self.params(plan, place)?;

        // All bind groups before the first command: a refusal leaves the caller's pass as it was.
        let groups = context.guarded("the bindings of a reduction", 0, || {
            let bind = |(number, pass): (usize, &Pass)| {
                let partials = scratch.as_ref().map(|buffer| whole(buffer, 0, plan.scratch_bytes));
                let told = whole(&params, number as u64 * stride, size_of::<Params>() as u64);
                self.bind(pass, inputs, partials, told, place)
            };
            plan.passes.iter().enumerate().filter_map(bind).collect::<Vec<_>>()
        })?;
        context.guarded("the dispatches of a reduction", 0, || {
            for ((pass, pipeline), group) in plan.passes.iter().zip(&pipelines).zip(&groups) {
                compute.set_pipeline(pipeline);
                compute.set_bind_group(0, group, &[]);
                compute.dispatch_workgroups(pass.workgroups, 1, 1);
            }
        })
    }

    fn bind(
        &self,
        pass: &Pass,
        inputs: &[&wgpu::Buffer],
        partials: Option<BindingResource>,
        told: BindingResource,
        place: &Place,
    ) -> Option<wgpu::BindGroup> {
        let nothing = || self.context.nothing.as_entire_binding();
        let target = match pass.target {
            Target::Partials => partials.clone(),
            Target::Result => Some(whole(place.buffer, place.offset, place.size)),
        };
        let (quads, words) = match pass.source {
            Source::Partials => (partials, None),
            Source::Nothing => (Some(nothing()), Some(nothing())),
            Source::Window { buffer, offset_bytes, size_bytes, other } => {
                let window = whole(inputs[buffer], offset_bytes, size_bytes);
                let quads = match other {
                    Some((buffer, offset_bytes, size_bytes)) => whole(inputs[buffer], offset_bytes, size_bytes),
                    // A window without a whole quad cannot be bound as quads, and none are read.
                    None if size_bytes < 16 => nothing(),
                    None => window.clone(),
                };
                (Some(quads), Some(window))
            }
        };
        let resources = [(0, quads), (1, words), (2, Some(told)), (3, target)];
        let entry = |(binding, resource): (u32, Option<_>)| Some(wgpu::BindGroupEntry { binding, resource: resource? });
        let entries: Vec<_> = resources.into_iter().filter_map(entry).collect();
        Some(self.context.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("treefold"),
            layout: self.context.bind_group_layout(pass.kernel)?,
            entries: &entries,
        }))
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
                Source::Window { buffer, offset_bytes, size_bytes, other } => {
                    let with =
                        other.map_or(String::new(), |(buffer, at, _)| format!(", with buffer {buffer} from byte {at}"));
                    format!("buffer {buffer}, binding of {size_bytes} bytes from byte {offset_bytes}{with}")
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

/// What a plan must know of an operator.
pub(crate) fn shape<T: Element, O: Op<T>>(module: &Module) -> Shape {
    Shape {
        element_bytes: T::DTYPE.bytes(),
        counters: module.counters,
        gathered: module.gathered,
        heavy: module.heavy,
        combine_trips: module.combine_trips,
        trips: module.trips,
        ..Shape::plain(O::Acc::WORDS as u64 * 4, O::COMMUTATIVE)
    }
}

/// A compute pass of this crate.
pub(crate) fn compute_pass(encoder: &mut wgpu::CommandEncoder) -> wgpu::ComputePass<'_> {
    encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some("treefold"), timestamp_writes: None })
}

fn whole(buffer: &wgpu::Buffer, offset: u64, size: u64) -> BindingResource<'_> {
    BindingResource::Buffer(BufferBinding { buffer, offset, size: std::num::NonZero::new(size) })
}
