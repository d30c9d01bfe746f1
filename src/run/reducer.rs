//! Reductions on an app's own device and queue.

use super::explain::{Explanation, explained};
use super::stream::{Stream, StreamOptions};
use crate::device::{Context, Destination, Gpu, Pending, Readback, Recorder, Waiting, choose, compute_pass};
use crate::element::Element;
use crate::error::{Error, Result, may_block};
use crate::input::{Input, Output, Piece, Rows};
use crate::op::{Acc, DeviceOp, Fold, Keep, Op, Partial};
use crate::plan::{Plan, Request, Store, Tuning};
use crate::shader;
use std::marker::PhantomData;
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
        context.heard().await?;
        let recorder = Recorder::new(context.clone(), choose::<T, O>(&context, &op, waiting).await?)?;
        let reducer = Reducer { recorder, op, element: PhantomData };
        // The kernels of large and of small inputs compile now, not in the first frame.
        let single = reducer.recorder.planner.launch().single_elements_max;
        let mut large = Piece::of(0, 0, single.saturating_mul(2).clamp(1 << 16, 1 << 24));
        // Short bindings have no room for the partials of all their windows.
        while large.elements > 1 && reducer.recorder.planner.plan(&whole(&[large], Store::Sealed)).is_err() {
            large.elements /= 2;
        }
        let stores =
            if reducer.has_answer() { &[Store::Sealed, Store::Answer { counted: true }][..] } else { &[Store::Sealed] };
        for (number, piece) in [large, Piece { elements: 1, ..large }].into_iter().enumerate() {
            for (turn, &store) in stores.iter().enumerate() {
                let plan = reducer.recorder.planner.plan(&whole(&[piece], store))?;
                // Operators that are not the library's own are looked at before they compile.
                if number == 0 && turn + 1 == stores.len() && !reducer.recorder.op.checked() {
                    for pass in &plan.passes {
                        shader::check(&reducer.recorder.op, &reducer.recorder.source(&pass.variant))?;
                    }
                }
                reducer.recorder.prepare(&plan)?;
            }
        }
        context.heard().await?;
        Ok(reducer)
    }

    /// The same operator with other parameters, for what is recorded from now on; what was recorded keeps its own. Nothing is
    /// compiled anew where [`Fold::kind`] stays the same.
    ///
    /// # Errors
    /// As for [`Reducer::new`].
    pub fn set_op(&mut self, op: O) -> Result<()> {
        let device_op = DeviceOp::new::<T, O>(&op, self.recorder.op.keep)?;
        self.recorder = Recorder::new(self.recorder.context.clone(), device_op)?;
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
        let (pieces, _) = input.into().pieces()?;
        self.recorder.planner.plan(&whole(&pieces, Store::Sealed))
    }

    /// How an input of so many elements in one buffer would be reduced: the plan in words, and the WGSL of each pass.
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
    /// independent. Nothing is submitted and nothing waits.
    ///
    /// # Errors
    /// [`Error::MissingUsage`] (both buffers need `STORAGE`), [`Error::OutOfRange`], [`Error::Misaligned`],
    /// [`Error::Overlap`], [`Error::OutputTooSmall`], [`Error::NoDeviceAnswer`], [`Error::TooLongToRecord`];
    /// [`Error::LimitTooSmall`] where so many bindings are needed that their partials fill more than one; nothing is
    /// recorded then.
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
        self.record_rows(compute, input.into(), None, 1, output.into())
    }

    /// Records the reduction of each row; the answers are dense in `output`, in the order of the rows.
    ///
    /// # Errors
    /// As for [`Reducer::record`], and [`Error::RaggedRows`].
    pub fn record_each<'i>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        rows: Rows<'_, T>,
        output: impl Into<Output<'i>>,
    ) -> Result<()> {
        self.record_each_in_pass(&mut compute_pass(encoder), rows, output)
    }

    /// The same within a compute pass that the program has begun.
    ///
    /// # Errors
    /// As for [`Reducer::record_each`].
    pub fn record_each_in_pass<'i>(
        &self,
        compute: &mut wgpu::ComputePass<'_>,
        rows: Rows<'_, T>,
        output: impl Into<Output<'i>>,
    ) -> Result<()> {
        let count = rows.count()?;
        self.record_rows(compute, rows.input, Some(rows.length), count, output.into())
    }

    fn record_rows(
        &self,
        compute: &mut wgpu::ComputePass<'_>,
        input: Input<'_, T>,
        row: Option<u64>,
        count: u64,
        output: Output<'_>,
    ) -> Result<()> {
        let (operator, op) = (O::NAME, &self.recorder.op);
        if !self.has_answer() {
            return Err(Error::NoDeviceAnswer { operator });
        }
        let claimed = output.claim(operator, op.answer_words(), count)?;
        let (pieces, buffers) = input.pieces()?;
        let direct = !input.reads(output.buffer, &claimed)?;
        let (elements, most) = (row.unwrap_or(input.elements()), Self::ELEMENTS_MAX);
        if elements > most {
            return Err(Error::TooLongToRecord { operator, elements, most });
        }
        let limits = self.recorder.context.limits;
        let offset = claimed.start / limits.storage_alignment * limits.storage_alignment;
        let size = claimed.end - offset;
        if size > limits.binding_bytes_max {
            let (limit, value) = ("max_storage_buffer_binding_size", limits.binding_bytes_max);
            return Err(Error::LimitTooSmall { limit, value, needs: size });
        }
        if count == 0 {
            return Ok(());
        }
        let store = Store::Answer { counted: output.counted };
        let word = ((claimed.start - offset) / 4) as u32;
        let request = Request { pieces: &pieces, row, start: 0, direct, store, output: word };
        let plan = self.recorder.planner.plan(&request)?;
        self.recorder.record(compute, &plan, &buffers, Destination { buffer: output.buffer, offset, size })
    }

    const ELEMENTS_MAX: u64 = <O::Fold as Fold<T>>::ELEMENTS_MAX;

    /// Submits the reduction of `input` and waits for the answer.
    ///
    /// # Errors
    /// As for [`Reducer::record`]; [`Error::Timeout`], [`Error::DeviceLost`], [`Error::ResultMissing`]; what
    /// [`Op::finish`] says.
    pub fn reduce<'i>(&self, input: impl Into<Input<'i, T>>) -> Result<O::Output> {
        may_block("Reducer::reduce", "Reducer::reduce_async")?;
        self.reduce_batch([input.into()])?.pop().ok_or(Error::ResultMissing)
    }

    /// Answers many inputs with one submission and one wait for some thousands of them, in their order. Besides the answers at
    /// most 64 MiB are held at once, if no single input takes more.
    ///
    /// # Errors
    /// As for [`Reducer::reduce`]; the first that occurs.
    pub fn reduce_batch<'i, I: Into<Input<'i, T>>>(
        &self,
        inputs: impl IntoIterator<Item = I>,
    ) -> Result<Vec<O::Output>> {
        may_block("Reducer::reduce_batch", "Reducer::reduce_async for each input")?;
        let each = (self.recorder.op.sealed_words() * 4) as u64;
        let most = BATCH_BYTES.min(self.recorder.context.device.limits().max_buffer_size.saturating_sub(each));
        let (mut inputs, mut answers) = (inputs.into_iter().map(Into::into).peekable(), Vec::new());
        while inputs.peek().is_some() {
            let (mut group, mut room) = (Vec::new(), most);
            while let Some(input) = inputs.next_if(|_| room > 0) {
                room = room.saturating_sub(each + RECORD_BYTES * input.ranges().max(1));
                group.push(input);
            }
            answers.extend(self.answers(self.accumulate(&group, 0)?)?);
        }
        Ok(answers)
    }

    /// Answers each row, in their order.
    ///
    /// # Errors
    /// As for [`Reducer::reduce`], and [`Error::RaggedRows`].
    pub fn reduce_each(&self, rows: Rows<'_, T>) -> Result<Vec<O::Output>> {
        may_block("Reducer::reduce_each", "Reducer::record_each, or Reducer::reduce_async for each row")?;
        rows.count()?;
        let (pieces, buffers) = rows.input.pieces()?;
        let (context, fold) = (&self.recorder.context, self.op.fold());
        let length = rows.length;
        if length > Self::ELEMENTS_MAX {
            let inputs = cut(&pieces, length).into_iter().filter(|row| !row.is_empty());
            let (batch, pending) = self.submit(inputs.map(|row| (row, buffers.clone())).collect(), 0)?;
            return self.answers(batch.fold::<T, O>(&self.op, &self.recorder.op, &pending.wait(context)?));
        }
        let mut accs = Vec::new();
        // Results of 64 MiB at a time, in one binding.
        let bytes = context.limits.binding_bytes_max.min(64 << 20);
        let each = (bytes / (4 * self.recorder.op.sealed_words() as u64)).max(1);
        for pieces in cut(&pieces, each.saturating_mul(length)).into_iter().filter(|pieces| !pieces.is_empty()) {
            let here = pieces.iter().map(|piece| piece.elements).sum::<u64>() / length;
            let job = Job { pieces, buffers: buffers.clone(), row: Some(length), start: 0, result: 0 };
            for words in self.launch(&[job], here)?.wait(context)? {
                accs.push((fold.read_acc(&self.recorder.op.expand(&words)), length));
            }
        }
        self.answers(accs)
    }

    fn answers(&self, accs: Vec<(Acc<T, O>, u64)>) -> Result<Vec<O::Output>> {
        accs.into_iter().map(|(acc, elements)| self.op.finish(acc, elements)).collect()
    }

    /// Submits the reduction of `input` and waits for its accumulator: a part of a reduction that is finished elsewhere.
    ///
    /// # Errors
    /// As for [`Reducer::reduce`].
    pub fn partial<'i>(&self, input: impl Into<Input<'i, T>>) -> Result<Partial<T, O>> {
        may_block("Reducer::partial", "Reducer::partial_async")?;
        let (acc, count) = self.accumulate(&[input.into()], 0)?.pop().ok_or(Error::ResultMissing)?;
        Ok(Partial::of(self.op.clone(), acc, count, None))
    }

    /// The same of an input whose first element has this place in the whole.
    ///
    /// # Errors
    /// As for [`Reducer::reduce`].
    pub fn partial_at<'i>(&self, input: impl Into<Input<'i, T>>, first: u64) -> Result<Partial<T, O>> {
        may_block("Reducer::partial_at", "Reducer::partial_async")?;
        let (acc, count) = self.accumulate(&[input.into()], first)?.pop().ok_or(Error::ResultMissing)?;
        Ok(Partial::of(self.op.clone(), acc, count, Some(first)))
    }

    /// The accumulators of many inputs, each of which begins at `first`, and how many elements each has.
    pub(crate) fn accumulate(&self, inputs: &[Input<T>], first: u64) -> Result<Vec<(Acc<T, O>, u64)>> {
        if inputs.is_empty() {
            return Ok(Vec::new());
        }
        let inputs = inputs.iter().map(Input::pieces).collect::<Result<Vec<_>>>()?;
        let (batch, pending) = self.submit(inputs, first)?;
        Ok(batch.fold::<T, O>(&self.op, &self.recorder.op, &pending.wait(&self.recorder.context)?))
    }

    pub(super) fn submit(&self, inputs: Vec<(Vec<Piece>, Vec<&wgpu::Buffer>)>, first: u64) -> Result<(Batch, Pending)> {
        let mut jobs = Vec::new();
        let mut batch = Batch::default();
        for (pieces, buffers) in inputs {
            let parts = cut(&pieces, Self::ELEMENTS_MAX);
            let elements: u64 = pieces.iter().map(|piece| piece.elements).sum();
            batch.inputs.push((parts.len(), elements));
            let mut start = first;
            for pieces in parts {
                let elements: u64 = pieces.iter().map(|piece| piece.elements).sum();
                jobs.push(Job { pieces, buffers: buffers.clone(), row: None, start, result: jobs.len() as u64 });
                start = start.wrapping_add(elements);
            }
        }
        let pending = self.launch(&jobs, jobs.len() as u64)?;
        Ok((batch, pending))
    }

    /// Submits jobs that have so many results in all.
    fn launch(&self, jobs: &[Job], results: u64) -> Result<Pending> {
        let (context, op) = (&self.recorder.context, &self.recorder.op);
        let groups = op.groups().iter().map(|group| op.group_words(group)).collect();
        let readback = Readback::new(context, results, groups)?;
        let mut encoder =
            context.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("treefold: reduce") });
        let mut compute = compute_pass(&mut encoder);
        for Job { pieces, buffers, row, start, result } in jobs {
            let (destination, output) = readback.destination(*result);
            let (row, start, store) = (*row, *start, Store::Sealed);
            let plan = self.recorder.planner.plan(&Request { pieces, row, start, direct: true, store, output })?;
            self.recorder.record(&mut compute, &plan, buffers, destination)?;
        }
        drop(compute);
        context.guarded("a submission", 0, || {
            readback.copy(&mut encoder);
            let submission = context.queue.submit([encoder.finish()]);
            readback.request(submission)
        })
    }

    /// How long [`Reducer::reduce`] waits before it gives up with [`Error::Timeout`].
    pub fn timeout(&self) -> Duration {
        self.recorder.context.timeout()
    }

    /// Sets how long waits last, to the millisecond, for this reducer and all others of the same [`Gpu`](crate::Gpu);
    /// 60 s unless set.
    pub fn set_timeout(&self, timeout: Duration) {
        self.recorder.context.set_timeout(timeout);
    }

    /// How exact folds keep their accumulators here: the first kernel that this device was found to run right. `None` for
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

/// Bytes of what a group of a batch holds: recorded commands, on both sides of wgpu, and results, which are there twice.
const BATCH_BYTES: u64 = 32 << 20;
/// Bytes of what the record of a range holds, about.
const RECORD_BYTES: u64 = 8 << 10;

/// The request for one result over all pieces.
fn whole(pieces: &[Piece], store: Store) -> Request<'_> {
    Request { pieces, row: None, start: 0, direct: true, store, output: 0 }
}

/// One plan of a submission.
struct Job<'b> {
    pieces: Vec<Piece>,
    buffers: Vec<&'b wgpu::Buffer>,
    row: Option<u64>,
    start: u64,
    /// Number of its first result.
    result: u64,
}

/// How many results belong to each input, and how many elements it has.
#[derive(Default)]
pub(super) struct Batch {
    inputs: Vec<(usize, u64)>,
}

impl Batch {
    pub(super) fn fold<T: Element, O: Op<T>>(
        &self,
        op: &O,
        device: &DeviceOp,
        words: &[Vec<u32>],
    ) -> Vec<(Acc<T, O>, u64)> {
        let fold = op.fold();
        let mut words = words.iter();
        self.inputs
            .iter()
            .map(|&(parts, elements)| {
                let accs = words.by_ref().take(parts).map(|words| fold.read_acc(&device.expand(words)));
                (accs.fold(fold.identity(), |a, b| fold.combine(a, b)), elements)
            })
            .collect()
    }
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

    /// The answer of `op` over elements in host memory.
    ///
    /// # Errors
    /// What the device says, or [`Op::finish`].
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
    /// What the device says when its buffers and pipelines are made.
    pub fn stream<T: Element, O: Op<T>>(&self, op: O, options: &StreamOptions) -> Result<Stream<T, O>> {
        may_block("Gpu::stream", "Gpu::reduce_async, or Reducer::partial_async of each part")?;
        Stream::on_gpu(self.context().clone(), op, options)
    }
}

/// Cuts pieces into groups of at most `most` elements, in order; one group at least.
fn cut(pieces: &[Piece], most: u64) -> Vec<Vec<Piece>> {
    let mut groups = vec![Vec::new()];
    let mut room = most;
    for &piece in pieces {
        let mut rest = piece;
        while rest.elements > 0 {
            if room == 0 {
                groups.push(Vec::new());
                room = most;
            }
            let elements = rest.elements.min(room);
            if let Some(group) = groups.last_mut() {
                group.push(rest.part(0, elements));
            }
            room -= elements;
            rest = rest.part(elements, rest.elements - elements);
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_cover_every_element_once() {
        let pieces = [Piece::of(0, 5, 10), Piece::of(1, 0, 3)];
        for most in [1, 2, 3, 7, 12, 13, 14] {
            let groups = cut(&pieces, most);
            let flat: Vec<(usize, u64)> = groups
                .iter()
                .flatten()
                .flat_map(|piece| (0..piece.elements).map(move |e| (piece.buffer, piece.first + e)))
                .collect();
            let want: Vec<(usize, u64)> = pieces
                .iter()
                .flat_map(|piece| (0..piece.elements).map(move |e| (piece.buffer, piece.first + e)))
                .collect();
            assert_eq!(flat, want, "{most}");
            assert!(groups.iter().all(|group| group.iter().map(|piece| piece.elements).sum::<u64>() <= most));
        }
        assert_eq!(cut(&[], 5).len(), 1);
    }
}
