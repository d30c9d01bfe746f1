//! Reductions on an app's own device and queue.

use super::explain::{Explanation, explained};
use super::segments::Others;
use super::stream::{Stream, StreamOptions};
use crate::device::{
    Context, Destination, Gpu, Prepared, Recorder, Waiting, choose, compute_pass, is_right, may_block,
};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::input::{Divided, Each, Input, Origin, Output, Piece, Ranges, SegmentsBy, Strided};
use crate::op::{DeviceOp, Fold, Keep, Op};
use crate::plan::{Arrangement, Plan, Request, Store, Tuning};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// One operator over one element type, ready to run on a device: in a frame ([`record`](Reducer::record)), or with the
/// answer on the host ([`reduce`](Reducer::reduce), [`reduce_async`](Reducer::reduce_async),
/// [`reduce_batch`](Reducer::reduce_batch)).
///
/// A good guest: it requests no feature, installs no handler on the device, labels what it makes, and `record` neither
/// submits nor waits. Where the device has [`wgpu::Features::SUBGROUP`], it is used. Cheap to keep and to share between
/// threads; make it once, not every frame.
///
/// ```no_run
/// # fn frame(device: wgpu::Device, queue: wgpu::Queue, depths: wgpu::Buffer) -> treefold::Result<()> {
/// use treefold::{Reducer, ops::MinMax};
/// let range = Reducer::<f32, _>::new(&device, &queue, MinMax)?;
/// let answer = device.create_buffer(&wgpu::BufferDescriptor {
///     label: None,
///     size: range.answer_bytes(),
///     usage: wgpu::BufferUsages::STORAGE,
///     mapped_at_creation: false,
/// });
/// let mut encoder = device.create_command_encoder(&Default::default());
/// range.record(&mut encoder, &depths, &answer)?; // answer: min, max, count: three words, for the next shader
/// queue.submit([encoder.finish()]);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Reducer<T: Element, O: Op<T>> {
    pub(super) recorder: Recorder,
    /// The same operator with other kernels.
    pub(super) others: Others,
    pub(super) op: O,
    element: PhantomData<T>,
}

impl<T: Element, O: Op<T>> Reducer<T, O> {
    /// With the launch shape of the device's class.
    ///
    /// # Errors
    /// [`Error::LimitTooSmall`] where the device was opened with limits that no plan can keep; [`Error::Refused`] where
    /// the operator's WGSL is not valid.
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue, op: O) -> Result<Self> {
        Self::with_tuning(device, queue, op, Tuning::of(&device.adapter_info()))
    }

    /// With a launch shape of one's own, for measuring.
    ///
    /// # Errors
    /// As for [`Reducer::new`], and [`Error::BadTuning`].
    pub fn with_tuning(device: &wgpu::Device, queue: &wgpu::Queue, op: O, tuning: Tuning) -> Result<Self> {
        may_block("Reducer::new", "Reducer::new_async")?;
        let context = Arc::new(Context::new(device, queue, tuning)?);
        pollster::block_on(Self::on(context, op, Waiting::Blocking))
    }

    pub(super) async fn on(context: Arc<Context>, op: O, waiting: Waiting) -> Result<Self> {
        let with = |keep| DeviceOp::new::<T, O>(&op, keep);
        let recorder = ready(context, op.name(), &with, waiting).await?;
        Ok(Reducer { recorder, others: Others::default(), op, element: PhantomData })
    }

    /// The same operator with other parameters, for what is recorded from now on; what was recorded keeps its own. Nothing is
    /// compiled anew where [`Fold::kind`] stays the same.
    ///
    /// # Errors
    /// As for [`Reducer::new`]; [`Error::OtherOperator`] where a [`DynOp`](crate::DynOp) is of another kind.
    pub fn set_op(&mut self, op: O) -> Result<()> {
        let device_op = DeviceOp::new::<T, O>(&op, self.recorder.op.keep)?;
        if !device_op.is_alike(&self.recorder.op) {
            return Err(Error::OtherOperator { operator: self.op.name(), other: op.name() });
        }
        let recorder = Recorder::new(self.recorder.context.clone(), device_op)?;
        if !recorder.is_written_as(&self.recorder) {
            compile(&recorder)?;
        }
        self.recorder = recorder;
        self.others = Others::default();
        self.op = op;
        Ok(())
    }

    /// The operator.
    pub fn op(&self) -> &O {
        &self.op
    }

    fn has_answer(&self) -> bool {
        !self.recorder.op.answers.is_empty()
    }

    /// Words of an answer on the device, without a count word; 0 where the operator has none.
    pub fn answer_words(&self) -> usize {
        self.recorder.op.answer_words()
    }

    /// Bytes of an answer on the device: its words (see the operator) and a count word.
    pub fn answer_bytes(&self) -> u64 {
        (self.answer_words() as u64 + 1) * 4
    }

    /// The device's memory that the partials of an input of so many elements take, in bytes; 0 where they find no room.
    pub fn scratch_bytes(&self, elements: u64) -> u64 {
        let piece = [Piece::of(0, 0, elements)];
        self.recorder.planner.plan(&whole(&piece, Store::Sealed)).map_or(0, |plan| plan.scratch_bytes)
    }

    /// The dispatches that an input would take, with results for the host.
    ///
    /// # Errors
    /// As for [`Reducer::record`].
    #[doc(hidden)]
    pub fn plan<'i>(&self, input: impl Into<Input<'i, T>>) -> Result<Plan> {
        let (pieces, _) = input.into().ranges.origins()?;
        self.recorder.planner.plan(&whole(&pieces, Store::Sealed))
    }

    /// The reduction of an input of so many elements in one buffer, explained: the plan in words, and the WGSL of each pass.
    ///
    /// # Errors
    /// As for [`Reducer::record`].
    pub fn explain(&self, elements: u64) -> Result<Explanation> {
        let store = if self.has_answer() { Store::Answer { counted: true } } else { Store::Sealed };
        let plan = self.recorder.planner.plan(&whole(&[Piece::of(0, 0, elements)], store))?;
        Ok(explained(&self.recorder, &plan))
    }

    /// Records the reduction of `input` into `encoder`; the answer is left in `output` when the encoder's commands run.
    ///
    /// The answer has the words of [`Op::answer`], followed by a count word unless the output is [bare](Output::bare): how many
    /// elements it stands on, at most 2^32 - 1; 0 of an empty input. Parameters are frozen here: records of different inputs in one encoder are
    /// independent. Nothing is submitted and nothing waits. The encoder must be of this reducer's device: wgpu tells when it
    /// finishes where it is not.
    ///
    /// # Errors
    /// [`Error::MissingUsage`] (both buffers need `STORAGE`; a texture is checked where it becomes an input),
    /// [`Error::OutOfRange`], [`Error::Misaligned`], [`Error::Overlap`], [`Error::OutputTooSmall`], [`Error::NoDeviceAnswer`], [`Error::TooLongToRecord`];
    /// [`Error::LimitTooSmall`] where so many bindings are needed that their partials fill more than one; nothing is
    /// recorded then. [`Error::Refused`] of a texture that was destroyed, or that was created without the format (`view_formats`)
    /// in which it is to be viewed.
    pub fn record<'i>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        input: impl Into<Input<'i, T>>,
        output: impl Into<Output<'i>>,
    ) -> Result<()> {
        self.record_in_pass(&mut compute_pass(encoder), input, output)
    }

    /// The same within a compute pass that the program has begun: many reductions in one pass cost less time on the device
    /// than a pass for each.
    ///
    /// Sets the pass's pipeline and bind group 0.
    ///
    /// # Errors
    /// As for [`Reducer::record`].
    pub fn record_in_pass<'i>(
        &self,
        compute: &mut wgpu::ComputePass<'_>,
        input: impl Into<Input<'i, T>>,
        output: impl Into<Output<'i>>,
    ) -> Result<()> {
        self.prepare(input, output)?.record_in_pass(compute)
    }

    /// Makes ready what [`Reducer::record`] would record, for programs that record the same in every frame: see
    /// [`Prepared`]. Where a record plans, binds and dispatches, a prepared one only dispatches.
    ///
    /// # Errors
    /// As for [`Reducer::record`].
    pub fn prepare<'i>(&self, input: impl Into<Input<'i, T>>, output: impl Into<Output<'i>>) -> Result<Prepared> {
        prepared(&self.recorder, &input.into().ranges, None, self.elements_max(), output.into())
    }

    /// Records the reductions of [rows](Input::rows), [axes](Input::over), [segments](Input::segments) or of as many elements as the device
    /// [counts](Input::counted); the answers are dense in
    /// `output`, in the order of the rows or segments, or in C order.
    ///
    /// # Errors
    /// As for [`Reducer::record`]; [`Error::RaggedRows`], [`Error::ViewOutside`], [`Error::ViewTooScattered`]; of segments
    /// [`Error::NoOffsets`], [`Error::OffsetsFall`], [`Error::OffsetsOutside`], [`Error::OffsetsApart`], [`Error::SegmentsTooMany`],
    /// [`Error::NotBySegments`], [`Error::SegmentsInPlace`]; of counts [`Error::NoCount`], [`Error::AxesCounted`]; of
    /// [groups](Input::groups) [`Error::Unequal`], [`Error::OrderOfGroups`], [`Error::GroupsTooMany`].
    pub fn record_each<'i>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        each: Each<'_, T>,
        output: impl Into<Output<'i>>,
    ) -> Result<()> {
        self.record_each_in_pass(&mut compute_pass(encoder), each, output)
    }

    /// The same within a compute pass that the program has begun.
    ///
    /// # Errors
    /// As for [`Reducer::record_each`].
    pub fn record_each_in_pass<'i>(
        &self,
        compute: &mut wgpu::ComputePass<'_>,
        each: Each<'_, T>,
        output: impl Into<Output<'i>>,
    ) -> Result<()> {
        self.prepare_each(each, output)?.record_in_pass(compute)
    }

    /// Makes ready what [`Reducer::record_each`] would record.
    ///
    /// # Errors
    /// As for [`Reducer::record_each`].
    pub fn prepare_each<'i>(&self, each: Each<'_, T>, output: impl Into<Output<'i>>) -> Result<Prepared> {
        let input = &each.input.ranges;
        let count = each.count()?;
        let output = output.into();
        let divided = match self.divided(&each, count)? {
            // Segments are read by the dispatch that writes their answers.
            Divided::Segments(segments)
                if matches!(segments.by, SegmentsBy::Rows(_))
                    && input.reads(output.buffer, &claimed(&self.recorder.op, &output, count)?)? =>
            {
                each.divided(count)?
            }
            divided => divided,
        };
        match divided {
            Divided::Strided(strided) => {
                prepared(self.by_rows(input, &strided)?, input, Some(&strided), self.elements_max(), output)
            }
            Divided::Segments(segments) => self.prepare_segments(input, &segments, &output),
            Divided::Groups(keys, groups) => self.prepare_groups(input, (keys, groups), &output),
        }
    }

    /// Compiles all that [`Reducer::record_each`] of this needs, side by side, so that the first frame that records it does not wait:
    /// [`Reducer::new`] compiles what whole inputs need alone. It reads nothing, and takes memory for all answers only meanwhile. It
    /// may be called on another thread than the one that draws.
    ///
    /// ```no_run
    /// use treefold::{Input, Reducer, ops::Max, wgpu};
    /// # fn f(most: &Reducer<f32, Max>, image: &wgpu::Buffer) -> treefold::Result<()> {
    /// most.warm_up(Input::from(image).rows(1920))?; // while the game loads
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As for [`Reducer::record_each`]; [`Error::OutOfMemory`].
    pub fn warm_up(&self, each: Each<'_, T>) -> Result<()> {
        let (answers, context) = (each.count()?, &self.recorder.context);
        let bytes = answers.saturating_mul(self.answer_bytes()).max(4);
        let room = context.buffer("room for answers", bytes, wgpu::BufferUsages::STORAGE)?;
        self.prepare_each(each.clone(), &room)?;
        self.prepare_each(each, Output::bare(&room)).map(drop)
    }

    pub(super) fn elements_max(&self) -> u64 {
        self.op.fold().most_elements()
    }

    /// The longest wait of [`Reducer::reduce`], before it gives up with [`Error::Timeout`].
    pub fn timeout(&self) -> Duration {
        self.recorder.context.timeout()
    }

    /// Sets how long waits last, to the millisecond, for this reducer and all others of the same [`Gpu`](crate::Gpu);
    /// 60 s unless set.
    pub fn set_timeout(&self, timeout: Duration) {
        self.recorder.context.set_timeout(timeout);
    }

    /// The way that exact folds keep their accumulators here: the first kernel that this device was found to run right. `None` for
    /// operators that have one kernel only.
    pub fn kernel(&self) -> Option<Keep> {
        self.recorder.op.folds.iter().any(|fold| fold.tested).then_some(self.recorder.op.keep)
    }

    /// The WGSL of every pass of a plan, in its order.
    #[doc(hidden)]
    pub fn shaders(&self, plan: &Plan) -> Vec<String> {
        plan.passes.iter().map(|pass| self.recorder.source(&pass.variant).text).collect()
    }
}

/// An operator on a device, its kernels chosen and compiled; `with` gives it with each way to keep an accumulator.
async fn ready(
    context: Arc<Context>,
    operator: &'static str,
    with: &(dyn Fn(Keep) -> Result<DeviceOp> + Sync),
    waiting: Waiting,
) -> Result<Recorder> {
    context.heard().await?;
    let device_op = choose(&context, operator, with, &first_plans, waiting).await?;
    let recorder = Recorder::new(context.clone(), device_op)?;
    compile(&recorder)?;
    context.heard().await?;
    Ok(recorder)
}

/// Compiles the kernels of large and of small inputs now, not in the first frame.
fn compile(recorder: &Recorder) -> Result<()> {
    recorder.compile(&first_plans(recorder)?)
}

/// What large and small inputs need.
pub(super) fn first_plans(recorder: &Recorder) -> Result<Vec<Plan>> {
    let single = recorder.planner.launch().single_elements_max;
    let mut large = Piece::of(0, 0, single.saturating_mul(2).clamp(1 << 16, 1 << 24));
    // Short bindings have no room for the partials of all their windows.
    while large.elements > 1 && recorder.planner.plan(&whole(&[large], Store::Sealed)).is_err() {
        large.elements /= 2;
    }
    let answers = !recorder.op.answers.is_empty();
    let stores = if answers { &[Store::Sealed, Store::Answer { counted: true }][..] } else { &[Store::Sealed] };
    let mut plans = Vec::new();
    for piece in [large, Piece { elements: 1, ..large }] {
        for &store in stores {
            plans.push(recorder.planner.plan(&whole(&[piece], store))?);
        }
    }
    Ok(plans)
}

/// Makes ready the reduction of a whole input, or of each of its answers.
fn prepared(
    recorder: &Recorder,
    input: &Ranges<'_>,
    each: Option<&Strided>,
    most: u64,
    output: Output<'_>,
) -> Result<Prepared> {
    let (elements, count) = each.map_or((input.elements(), 1), |each| (each.length(), each.answers()));
    let claimed = claimed(&recorder.op, &output, count)?;
    let (pieces, origins) = input.origins()?;
    if each.is_some() {
        origins.iter().try_for_each(|origin| origin.buffer().map(drop))?;
    }
    let direct = !input.reads(output.buffer, &claimed)?;
    if elements > most {
        return Err(Error::TooLongToRecord { operator: recorder.op.name, elements, most });
    }
    if count == 0 {
        return Ok(Prepared::nothing(recorder.context.clone()));
    }
    let each = each.map_or(Arrangement::Whole, Arrangement::Strided);
    let store = Store::Answer { counted: output.counted };
    let request = Request { pieces: &pieces, each, start: 0, direct, store, output: 0 };
    prepared_plan(recorder, &request, &origins, output.buffer, &claimed)
}

/// The bytes of so many answers in an output.
pub(super) fn claimed(op: &DeviceOp, output: &Output<'_>, answers: u64) -> Result<Range<u64>> {
    match op.answers.is_empty() {
        true => Err(Error::NoDeviceAnswer { operator: op.name }),
        false => output.claim(op.name, op.answer_words(), answers),
    }
}

/// Makes ready what is asked for, its answers at these bytes of a buffer.
pub(super) fn prepared_plan(
    recorder: &Recorder,
    request: &Request<'_>,
    origins: &[Origin],
    output: &wgpu::Buffer,
    claimed: &Range<u64>,
) -> Result<Prepared> {
    let limits = recorder.context.limits;
    let offset = claimed.start / limits.storage_alignment * limits.storage_alignment;
    let size = claimed.end - offset;
    if size > limits.binding_bytes_max {
        let (limit, value) = ("max_storage_buffer_binding_size", limits.binding_bytes_max);
        return Err(Error::LimitTooSmall { limit, value, needs: size });
    }
    let plan = recorder.planner.plan(&Request { output: ((claimed.start - offset) / 4) as u32, ..*request })?;
    recorder.make(&plan, origins, Destination { buffer: output, offset, size, seal: 0 })
}

/// The request for one result over all pieces.
fn whole(pieces: &[Piece], store: Store) -> Request<'_> {
    Request { pieces, each: Arrangement::Whole, start: 0, direct: true, store, output: 0 }
}

impl Gpu {
    /// A reducer on this device. Its pipelines are shared with all others of this `Gpu`.
    ///
    /// # Errors
    /// As for [`Reducer::new`].
    pub fn reducer<T: Element, O: Op<T>>(&self, op: O) -> Result<Reducer<T, O>> {
        may_block("Gpu::reducer", "Gpu::reducer_async")?;
        pollster::block_on(Reducer::on(self.context().clone(), op, Waiting::Blocking))
    }

    /// Whether the kernels that keep accumulators in this way pass their self-test here.
    ///
    /// # Errors
    /// Those of the device, or of its limits.
    #[doc(hidden)]
    pub fn sums_right<T: Element, O: Op<T>>(&self, op: &O, keep: Keep) -> Result<bool> {
        may_block("Gpu::sums_right", "Gpu::reducer_async")?;
        let device_op = DeviceOp::new::<T, O>(op, keep)?;
        pollster::block_on(is_right(self.context(), &device_op, Waiting::Blocking))
    }

    /// The answer of `op` over elements in host memory.
    ///
    /// # Errors
    /// Those of the device, or of [`Op::finish`].
    pub fn reduce<T: Element, O: Op<T>>(&self, op: O, elements: &[T]) -> Result<O::Output> {
        may_block("Gpu::reduce", "Gpu::reduce_async")?;
        let options = StreamOptions { elements_hint: Some(elements.len() as u64), ..StreamOptions::default() };
        let mut stream = self.stream(op, &options)?;
        stream.push(elements)?;
        Ok(stream.finish()?.output)
    }

    /// Begins a reduction whose elements come in parts; see [`Stream`].
    ///
    /// # Errors
    /// Those of the device, when its buffers and pipelines are made.
    pub fn stream<T: Element, O: Op<T>>(&self, op: O, options: &StreamOptions) -> Result<Stream<T, O>> {
        may_block("Gpu::stream", "Gpu::reduce_async, or Reducer::partial_async of each part")?;
        Stream::on_gpu(self.context().clone(), op, options)
    }
}
