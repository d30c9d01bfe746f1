//! From a plan to what its dispatches need: pipelines, parameters, bind groups.

use super::context::Context;
use super::pipelines::{Layout, PipelineKey, Texts};
use super::prepared::{Dispatch, Prepared};
use crate::error::{Error, Result};
use crate::input::Origin;
use crate::op::DeviceOp;
use crate::plan::{Cost, Kernel, Params, Pass, Plan, Planner, Resource, Store, Variant};
use crate::shader::{self, Source};
use std::sync::Arc;
use wgpu::{BindingResource, BufferBinding};

/// An operator on a device: its plans and its shaders, without its host half.
#[derive(Debug)]
pub(crate) struct Recorder {
    pub context: Arc<Context>,
    pub planner: Planner,
    pub op: DeviceOp,
    table: Option<wgpu::Buffer>,
    /// Of kernels without answers, and of those with them.
    texts: [Arc<Texts>; 2],
}

/// Binding of the output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Destination<'a> {
    pub buffer: &'a wgpu::Buffer,
    /// First byte; keeps the device's alignment.
    pub offset: u64,
    pub size: u64,
    /// The word that follows each group of a result for the host; nobody reads that of others.
    pub seal: u32,
}

impl Recorder {
    pub fn new(context: Arc<Context>, op: DeviceOp) -> Result<Recorder> {
        let unpacks = context.unpacks(&op);
        Recorder::of(context, DeviceOp { unpacks, ..op })
    }

    /// Of an operator that says itself whether it unpacks.
    pub fn of(context: Arc<Context>, op: DeviceOp) -> Result<Recorder> {
        context.present("making a reducer")?;
        if op.answers.iter().any(|(_, answer)| answer.words().is_empty()) {
            return Err(Error::NoAnswerWords { operator: op.name });
        }
        let planner = Planner::new(context.limits, *context.tuning(), Cost::of(&op))?;
        let table = op.table();
        check_limits(&context, &op)?;
        let table = if table.is_empty() { None } else { Some(context.table(table)?) };
        let ((folds, keep), unpacks) = (op.key(), op.unpacks);
        let tail_words = shader::tail_words(&op);
        let answers = op.answers.iter().map(|(folds, answer)| (folds.clone(), answer.text())).collect();
        let texts = [Vec::new(), answers]
            .map(|answers| Arc::new(Texts { folds: folds.clone(), keep, answers, tail_words, unpacks }));
        Ok(Recorder { context, planner, op, table, texts })
    }

    /// The text of one of this operator's shaders.
    pub fn source(&self, variant: &Variant) -> Source {
        shader::assemble(&self.op, variant)
    }

    fn pipeline(&self, variant: &Variant) -> Result<wgpu::ComputePipeline> {
        let (key, finishes) = (self.key(variant), finishes(variant));
        let layout = self.layout(variant);
        let segments =
            matches!(variant.kernel, Kernel::Segments { .. } | Kernel::Carry | Kernel::Groups { .. } | Kernel::Clear);
        let unguarded = self.op.unguarded(finishes) || (segments && self.op.checked());
        self.context.pipeline(key, layout, unguarded, || {
            let source = self.source(variant);
            // Operators that are not the library's own are looked at before they compile, their answers too.
            if !self.op.checked() {
                shader::check(&self.op, &source)?;
            }
            Ok(source.text)
        })
    }

    fn key(&self, variant: &Variant) -> PipelineKey {
        let [plain, answering] = &self.texts;
        let texts = if finishes(variant) { answering } else { plain };
        PipelineKey { texts: texts.clone(), variant: *variant }
    }

    fn layout(&self, variant: &Variant) -> Layout {
        let layout = Layout::of(variant.kernel, variant.rows, self.table.is_some());
        if variant.load.texel().is_some() { layout.of_texels(self.op.dtype) } else { layout }
    }

    /// Records all dispatches of a plan.
    pub fn record(
        &self,
        compute: &mut wgpu::ComputePass,
        plan: &Plan,
        inputs: &[Origin],
        output: Destination,
    ) -> Result<()> {
        self.make(plan, inputs, output)?.record_in_pass(compute)
    }

    /// Makes what the dispatches of a plan need: pipelines, parameters, bindings.
    pub fn make(&self, plan: &Plan, inputs: &[Origin], output: Destination) -> Result<Prepared> {
        self.make_all(&[(plan, inputs, output)])
    }

    /// The same of several plans, whose parameters are in one buffer.
    pub fn make_all(&self, plans: &[(&Plan, &[Origin], Destination)]) -> Result<Prepared> {
        let context = &self.context;
        // An app's device is not asked for each record: that takes a microsecond, and the next call that waits tells.
        if context.loss.is_some() {
            context.present("recording a reduction")?;
        }
        let passes =
            || plans.iter().flat_map(|(plan, _, output)| plan.passes.iter().map(move |pass| (pass, output.seal)));
        let mut pipelines = Vec::with_capacity(passes().count());
        let mut compiled = false;
        for (pass, _) in passes() {
            // Neighbours of a batch are often alike.
            let pipeline = match pipelines.last() {
                Some((variant, pipeline)) if *variant == pass.variant => wgpu::ComputePipeline::clone(pipeline),
                _ => match self.context.kept_pipeline(&self.key(&pass.variant)) {
                    Some(pipeline) => pipeline,
                    None => {
                        if !std::mem::replace(&mut compiled, true) {
                            let all: Vec<_> =
                                plans.iter().map(|(plan, ..)| (self, std::slice::from_ref(*plan))).collect();
                            Recorder::compile_all(&all)?;
                        }
                        self.pipeline(&pass.variant)?
                    }
                },
            };
            pipelines.push((pass.variant, pipeline));
        }
        let most =
            |bytes: fn(&Plan) -> u64| plans.iter().map(|(plan, ..)| bytes(plan)).max().filter(|&bytes| bytes > 0);
        let scratch = most(|plan| plan.scratch_bytes).map(|bytes| context.partials(bytes)).transpose()?;
        let accumulators = most(|plan| plan.accumulators_bytes).map(|bytes| context.accumulators(bytes)).transpose()?;
        let (uniforms, bytes, stride) = self.uniforms(passes()).map_err(|error| context.diagnosed(error))?;

        let bind = |number: usize,
                    pass: &Pass,
                    (inputs, output): (&[Origin], &Destination),
                    views: &[Option<wgpu::TextureView>]| {
            let mut entries = vec![wgpu::BindGroupEntry {
                binding: 2,
                resource: bind_range(&uniforms, number as u64 * stride, bytes),
            }];
            for binding in &pass.bindings {
                let resource = match &binding.resource {
                    Resource::Input { buffer, bytes } => {
                        bind_range(inputs.get(*buffer)?.buffer().ok()?, bytes.start, bytes.end - bytes.start)
                    }
                    Resource::Texture { number } => BindingResource::TextureView(views.get(*number)?.as_ref()?),
                    Resource::Scratch { bytes } => bind_range(scratch.as_ref()?, bytes.start, bytes.end - bytes.start),
                    Resource::Accumulators { bytes } => {
                        bind_range(accumulators.as_ref()?, bytes.start, bytes.end - bytes.start)
                    }
                    Resource::Output => bind_range(output.buffer, output.offset, output.size),
                    Resource::Table => self.table.as_ref()?.as_entire_binding(),
                    Resource::Placeholder => context.placeholder.as_entire_binding(),
                };
                entries.push(wgpu::BindGroupEntry { binding: binding.slot, resource });
            }
            let layout = context.bind_group_layout(self.layout(&pass.variant))?;
            let label = Some("treefold");
            Some(context.device.create_bind_group(&wgpu::BindGroupDescriptor { label, layout, entries: &entries }))
        };
        // All bind groups before the first command: a refusal leaves the caller's pass as it was.
        let groups = context.guarded("the bindings of a reduction", 0, || {
            let mut groups = Vec::with_capacity(pipelines.len());
            for (plan, inputs, output) in plans {
                let views: Vec<_> = inputs.iter().map(Origin::view).collect();
                for pass in &plan.passes {
                    groups.push(bind(groups.len(), pass, (inputs, output), &views)?);
                }
            }
            Some(groups)
        })?;
        let missing = || Error::Refused { what: "the bindings of a reduction", message: "a buffer is missing".into() };
        let made = pipelines.into_iter().zip(groups.ok_or_else(missing)?).zip(passes());
        let dispatch = |(((_, pipeline), bindings), (pass, _)): ((_, _), (&Pass, u32))| Dispatch {
            pipeline,
            bindings,
            workgroups: pass.workgroups,
        };
        Ok(Prepared { context: context.clone(), dispatches: made.map(dispatch).collect() })
    }

    /// The uniform blocks of all passes, each with its seal, in one buffer, the bytes of each, and their stride.
    fn uniforms<'p>(&self, passes: impl Iterator<Item = (&'p Pass, u32)> + Clone) -> Result<(wgpu::Buffer, u64, u64)> {
        let dims = passes.clone().map(|(pass, _)| pass.dims.len()).max().unwrap_or(0);
        let tail = (shader::tail_words(&self.op) + dims).next_multiple_of(4);
        let bytes = size_of::<Params>() + 4 * tail;
        let stride = (bytes as u64).next_multiple_of(self.context.limits.uniform_alignment);
        let own = self.op.params();
        let mut all = vec![0u8; passes.clone().count() * stride as usize];
        for (room, (pass, seal)) in all.chunks_mut(stride as usize).zip(passes) {
            let params = Params { seal, ..pass.params };
            let words = bytemuck::bytes_of(&params).iter().copied();
            let region = |number: usize| pass.regions.get(number).copied().unwrap_or(0);
            let regions = (0..shader::regions(&self.op)).map(region);
            let tail = regions.chain(own.iter().copied()).chain(pass.dims.iter().copied()).flat_map(u32::to_le_bytes);
            room.iter_mut().zip(words.chain(tail)).for_each(|(byte, word)| *byte = word);
        }
        Ok((self.context.parameters(all)?, bytes as u64, stride))
    }

    /// Whether it has the same texts as another.
    pub fn is_written_as(&self, other: &Recorder) -> bool {
        self.texts == other.texts
    }

    /// Compiles the pipelines that plans will need, side by side, so that their first run does not wait for the compiler.
    pub fn compile(&self, plans: &[Plan]) -> Result<()> {
        Recorder::compile_all(&[(self, plans)])
    }

    /// The same of several recorders of one device, all of them at once.
    pub fn compile_all(all: &[(&Recorder, &[Plan])]) -> Result<()> {
        let Some((first, _)) = all.first() else { return Ok(()) };
        first.context.present("making pipelines")?;
        let mut missing: Vec<(&Recorder, PipelineKey)> = Vec::new();
        for (recorder, pass) in
            all.iter().flat_map(|(one, plans)| plans.iter().flat_map(|p| &p.passes).map(move |pass| (*one, pass)))
        {
            let key = recorder.key(&pass.variant);
            if recorder.context.kept_pipeline(&key).is_none() && !missing.iter().any(|(_, other)| *other == key) {
                missing.push((recorder, key));
            }
        }
        side_by_side(&missing, |(recorder, key)| recorder.pipeline(&key.variant).map(drop))
    }
}

/// Whether answers are in its text.
fn finishes(variant: &Variant) -> bool {
    matches!(variant.store, Store::Answer { .. })
}

/// Calls for each, on threads of their own behind the first; the error of the earliest that fails.
#[cfg(not(target_arch = "wasm32"))]
fn side_by_side<T: Sync>(all: &[T], call: impl Fn(&T) -> Result<()> + Sync) -> Result<()> {
    let Some((first, others)) = all.split_first() else { return Ok(()) };
    let (call, stopped) =
        (&call, || Error::Refused { what: "a pipeline", message: "a compiling thread stopped".into() });
    std::thread::scope(|scope| {
        let start = |one| std::thread::Builder::new().spawn_scoped(scope, move || call(one)).map_err(|_| one);
        let started: Vec<_> = others.iter().map(start).collect();
        let first = call(first);
        let wait = |one: std::result::Result<std::thread::ScopedJoinHandle<'_, _>, _>| match one {
            Ok(thread) => thread.join().unwrap_or_else(|_| Err(stopped())),
            // No thread was to be had.
            Err(one) => call(one),
        };
        started.into_iter().map(wait).fold(first, Result::and)
    })
}

/// Calls for each, where there are no threads.
#[cfg(target_arch = "wasm32")]
fn side_by_side<T>(all: &[T], call: impl Fn(&T) -> Result<()>) -> Result<()> {
    all.iter().try_for_each(call)
}

/// Refuses what no plan tells: parameters, a table or a result that no binding covers.
fn check_limits(context: &Context, op: &DeviceOp) -> Result<()> {
    let limits = context.device.limits();
    let binding = match limits.max_buffer_size < limits.max_storage_buffer_binding_size {
        true => "max_buffer_size",
        false => "max_storage_buffer_binding_size",
    };
    let parameters = size_of::<Params>() + 4 * shader::tail_words(op).next_multiple_of(4);
    let table = op.table().len() as u64;
    let bindings = if table > 0 { 5 } else { 4 };
    let needs = [
        ("max_uniform_buffer_binding_size", limits.max_uniform_buffer_binding_size, parameters as u64),
        ("max_bindings_per_bind_group", limits.max_bindings_per_bind_group.into(), bindings),
        (binding, context.limits.binding_bytes_max, (4 * table).max(4 * op.sealed_words() as u64)),
    ];
    match needs.into_iter().find(|&(_, value, needs)| value < needs) {
        Some((limit, value, needs)) => Err(Error::LimitTooSmall { limit, value, needs }),
        None => Ok(()),
    }
}

pub(super) fn bind_range(buffer: &wgpu::Buffer, offset: u64, size: u64) -> BindingResource<'_> {
    BindingResource::Buffer(BufferBinding { buffer, offset, size: std::num::NonZero::new(size) })
}
