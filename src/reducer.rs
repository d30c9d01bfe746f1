//! Reductions on an app's own device and queue.

use crate::context::Context;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::input::{Input, Output};
use crate::op::{Accumulator, Op};
use crate::partial::Partial;
use crate::plan::{Pass, Piece, Plan, Target};
use crate::readback::{Pending, Readback};
use crate::record::{Place, Recorder, compute_pass};
use crate::shader::{Exact, Store, Variant};
use crate::tuning::Tuning;
use std::marker::PhantomData;
use std::pin::Pin;
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
    recorder: Recorder,
    op: O,
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
        Self::on(Arc::new(Context::new(device, queue, tuning)?), op)
    }

    pub(crate) fn on(context: Arc<Context>, op: O) -> Result<Self> {
        let recorder = Recorder::new::<T, O>(context, &op)?;
        let reducer = Self::of(recorder, op);
        // The kernels of large and of small inputs compile now, not in the first frame.
        let large = Piece::of(0, 0, 1 << 24);
        let stores = if O::ANSWER_WORDS > 0 { &[Store::Sealed, Store::Answer][..] } else { &[Store::Sealed] };
        for piece in [large, Piece { elements: 1, ..large }] {
            let plan = reducer.recorder.planner.plan(&[piece], 0, true);
            stores.iter().try_for_each(|&store| reducer.recorder.prepare(&plan, store))?;
        }
        Ok(reducer)
    }

    /// With nothing compiled yet.
    pub(crate) fn of(recorder: Recorder, op: O) -> Self {
        Reducer { recorder, op, element: PhantomData }
    }

    /// Bytes of an answer on the device: its words (see the operator) and a count word.
    pub fn answer_bytes(&self) -> u64 {
        (O::ANSWER_WORDS as u64 + 1) * 4
    }

    /// The device's memory that the partials of an input of so many elements take, in bytes.
    pub fn scratch_bytes(&self, elements: u64) -> u64 {
        let piece = Piece::of(0, 0, elements);
        self.recorder.planner.plan(&[piece], 0, true).scratch_bytes
    }

    /// The dispatches that an input would take.
    ///
    /// # Errors
    /// As for [`Reducer::record`].
    pub fn plan<'i>(&self, input: impl Into<Input<'i, T>>) -> Result<Plan> {
        let (pieces, _) = input.into().pieces()?;
        Ok(self.recorder.planner.plan(&pieces, 0, true))
    }

    /// Records the reduction of `input` into `encoder`; the answer is left in `output` when the encoder's commands run.
    ///
    /// The answer is [`Op::ANSWER_WORDS`] words, followed by a count word: how many elements it stands on, at most
    /// 2^32 - 1; 0 of an empty input. Parameters are frozen here: records of different inputs in one encoder are
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
        let (input, output) = (input.into(), output.into());
        let operator = self.op.name();
        if O::ANSWER_WORDS == 0 {
            return Err(Error::NoDeviceAnswer { operator });
        }
        let claimed = output.claim(operator, O::ANSWER_WORDS)?;
        let (pieces, buffers) = input.pieces()?;
        let apart = !input.reads(output.buffer, &claimed)?;
        let elements = input.elements();
        if elements > O::ELEMENTS_MAX {
            return Err(Error::TooLongToRecord { operator, elements, most: O::ELEMENTS_MAX });
        }
        let offset = claimed.start / self.recorder.context.facts.storage_alignment
            * self.recorder.context.facts.storage_alignment;
        let slot = ((claimed.start - offset) / 4) as u32;
        let place = Place { buffer: output.buffer, offset, size: claimed.end - offset, slot, store: Store::Answer };
        self.recorder.record(compute, &self.recorder.planner.plan(&pieces, 0, apart), &buffers, &place)
    }

    /// Submits the reduction of `input` and waits for the answer.
    ///
    /// # Errors
    /// As for [`Reducer::record`]; [`Error::Timeout`], [`Error::DeviceLost`], [`Error::ResultMissing`]; what
    /// [`Op::finish`] says.
    pub fn reduce<'i>(&self, input: impl Into<Input<'i, T>>) -> Result<O::Output> {
        self.reduce_batch([input.into()])?.pop().ok_or(Error::ResultMissing)
    }

    /// Submits the reduction of `input`; the future brings the answer.
    ///
    /// Any executor will do. On native platforms a thread of its own waits for the device, so the program need not poll it.
    ///
    /// # Errors
    /// As for [`Reducer::reduce`].
    pub fn reduce_async<'i>(
        &self,
        input: impl Into<Input<'i, T>>,
    ) -> Pin<Box<dyn Future<Output = Result<O::Output>> + Send>> {
        let submitted = self.submit(&[input.into()]);
        let (op, context) = (self.op.clone(), self.recorder.context.clone());
        Box::pin(async move {
            let (batch, pending) = submitted?;
            let folded = batch.fold::<T, O>(&op, &pending.arrive(context).await?);
            let (acc, elements) = folded.into_iter().next().ok_or(Error::ResultMissing)?;
            op.finish(acc, elements)
        })
    }

    /// Answers many inputs with one submission and one wait, in their order.
    ///
    /// # Errors
    /// As for [`Reducer::reduce`]; the first that occurs.
    pub fn reduce_batch<'i, I: Into<Input<'i, T>>>(
        &self,
        inputs: impl IntoIterator<Item = I>,
    ) -> Result<Vec<O::Output>> {
        let inputs: Vec<Input<T>> = inputs.into_iter().map(Into::into).collect();
        let folded = self.accumulate(&inputs)?.into_iter();
        folded.map(|(acc, elements)| self.op.finish(acc, elements)).collect()
    }

    /// Submits the reduction of `input` and waits for its accumulator: a part of a reduction that is finished elsewhere.
    ///
    /// # Errors
    /// As for [`Reducer::reduce`].
    pub fn partial<'i>(&self, input: impl Into<Input<'i, T>>) -> Result<Partial<T, O>> {
        let (acc, count) = self.accumulate(&[input.into()])?.pop().ok_or(Error::ResultMissing)?;
        Ok(Partial::of(self.op.clone(), acc, count))
    }

    /// The accumulators of many inputs, and how many elements each has.
    pub(crate) fn accumulate(&self, inputs: &[Input<T>]) -> Result<Vec<(O::Acc, u64)>> {
        if inputs.is_empty() {
            return Ok(Vec::new());
        }
        let (batch, pending) = self.submit(inputs)?;
        Ok(batch.fold::<T, O>(&self.op, &pending.wait(&self.recorder.context)?))
    }

    fn submit(&self, inputs: &[Input<T>]) -> Result<(Batch, Pending)> {
        let context = &self.recorder.context;
        let mut parts = Vec::new();
        let mut batch = Batch::default();
        for input in inputs {
            let (pieces, buffers) = input.pieces()?;
            let cut = cut(&pieces, O::ELEMENTS_MAX);
            batch.inputs.push((cut.len(), input.elements()));
            let mut start = 0;
            for pieces in cut {
                let elements: u64 = pieces.iter().map(|piece| piece.elements).sum();
                parts.push((self.recorder.planner.plan(&pieces, start, true), buffers.clone()));
                start += elements;
            }
        }
        let readback = Readback::new(context, parts.len(), O::Acc::WORDS)?;
        let mut encoder =
            context.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("treefold: reduce") });
        let mut compute = compute_pass(&mut encoder);
        for (slot, (plan, buffers)) in parts.iter().enumerate() {
            self.recorder.record(&mut compute, plan, buffers, &readback.place(slot as u32))?;
        }
        drop(compute);
        let pending = context.guarded("a submission", 0, || {
            readback.copy(&mut encoder);
            let submission = context.queue.submit([encoder.finish()]);
            readback.request(submission)
        })?;
        Ok((batch, pending))
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

    /// Which kernel of an exact operator this device was found to run right; [`Exact::Window`] for operators that have one
    /// kernel only.
    pub fn exact(&self) -> Exact {
        self.recorder.exact
    }

    /// The plan of an input in lines for people: passes, workgroups, bindings, bytes.
    pub fn explain(&self, plan: &Plan) -> Vec<String> {
        self.recorder.explain(plan)
    }

    /// The WGSL of every kernel that a plan runs, in its order; the last one as it leaves a result for the host.
    pub fn shaders(&self, plan: &Plan) -> Vec<String> {
        let variant = |pass: &Pass| Variant {
            store: if pass.target == Target::Result { Store::Sealed } else { Store::Partial },
            ..self.recorder.variant(pass)
        };
        plan.passes.iter().map(|pass| self.recorder.source(&variant(pass))).collect()
    }
}

/// How many results belong to each input, and how many elements it has.
#[derive(Default)]
struct Batch {
    inputs: Vec<(usize, u64)>,
}

impl Batch {
    fn fold<T: Element, O: Op<T>>(&self, op: &O, words: &[Vec<u32>]) -> Vec<(O::Acc, u64)> {
        let mut words = words.iter();
        self.inputs
            .iter()
            .map(|&(parts, elements)| {
                let accs = words.by_ref().take(parts).map(|words| O::Acc::read(words));
                (accs.fold(op.identity(), |a, b| op.combine(a, b)), elements)
            })
            .collect()
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
                group.push(Piece { elements, ..rest });
            }
            room -= elements;
            rest.first += elements;
            rest.elements -= elements;
            rest.other = rest.other.map(|(buffer, first)| (buffer, first + elements));
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
