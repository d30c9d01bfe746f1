//! The k best elements of inputs on the device.

use super::futures::AnswerFuture;
use crate::device::{
    BestTo, Context, Destination, Gpu, Pending, Prepared, Readback, TournamentTexts, Waiting, Words, may_block,
};
use crate::element::{OrderKey, Scalar};
use crate::error::{Error, Result};
use crate::input::{Input, Output};
use crate::op::Op;
use crate::ops::{Ranked, Ranking};
use crate::plan::{Rules, Tournament, Tuning};
use std::marker::PhantomData;
use std::sync::Arc;

/// The k largest or smallest elements on a device: [`Top`](crate::ops::Top) or [`Bottom`](crate::ops::Bottom), recorded as other
/// reductions are or with the answer on the host, with the same elements and indices as on the CPU.
///
/// The input is read once; what comes behind that reads a few tiles of it, whatever the order of the elements. A good guest, as a
/// [`Reducer`](crate::Reducer) is: it asks for no feature, labels what it makes, and neither submits nor waits where it records.
///
/// - **In the output**: k elements (a word each, or two (low, high) of 64 bits; of f16 a word), then k indices (low, high), then how many elements were
///   found, unless the output is [bare](Output::bare). What is not found is all ones.
/// - **Inputs**: buffers and parts of buffers, any number of them.
///
/// ```no_run
/// # fn frame(device: wgpu::Device, queue: wgpu::Queue, scores: wgpu::Buffer, best: wgpu::Buffer) -> treefold::Result<()> {
/// use treefold::{Ranker, ops::Top};
/// let top = Ranker::<f32>::new(&device, &queue, Top::new(10)?)?;
/// assert_eq!(top.output_words(), 30); // 10 elements, 10 indices of 2 words
/// let mut encoder = device.create_command_encoder(&Default::default());
/// top.record(&mut encoder, &scores, &best)?; // best: 31 words, for the next shader
/// queue.submit([encoder.finish()]);
/// let found = top.reduce(&scores)?;
/// println!("{} at {}", found.values[0], found.indices[0]);
/// # Ok(()) }
/// ```
///
/// Source: tournaments, as Knuth has them for selection (The Art of Computer Programming, 5.2.3), and radix selection among the tiles.
#[derive(Debug)]
pub struct Ranker<T: Scalar> {
    context: Arc<Context>,
    operator: &'static str,
    k: u32,
    rules: Rules,
    texts: TournamentTexts,
    element: PhantomData<T>,
}

impl<T: Scalar> Ranker<T> {
    /// Of a [`Top`](crate::ops::Top) or a [`Bottom`](crate::ops::Bottom), on a program's own device.
    ///
    /// # Errors
    /// [`Error::LimitTooSmall`] where the device was opened with limits that no plan can keep.
    pub fn new<const HIGH: bool>(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        op: impl Op<T, Fold = Ranking<HIGH>>,
    ) -> Result<Ranker<T>> {
        Self::on(Arc::new(Context::new(device, queue, Tuning::of(&device.adapter_info()))?), &op)
    }

    fn on<const HIGH: bool>(context: Arc<Context>, op: &impl Op<T, Fold = Ranking<HIGH>>) -> Result<Ranker<T>> {
        let (operator, ranking) = (op.name(), op.fold());
        let rules = Rules::of(&context.limits, context.tuning(), 4 * T::Key::WORDS as u64)?;
        // Whatever the input is, so many are chosen.
        Tournament::of(&context.limits, rules, &[], T::DTYPE.bytes(), ranking.wanted())?;
        let texts = TournamentTexts::of(T::DTYPE, &rules, &ranking.ranks::<T>());
        context.compile_tournament(&texts)?;
        Ok(Ranker { context, operator, k: ranking.wanted(), rules, texts, element: PhantomData })
    }

    /// Number of elements that are wanted.
    pub fn k(&self) -> u32 {
        self.k
    }

    /// Words that the elements and indices take in an output, without the count.
    pub fn output_words(&self) -> usize {
        self.k as usize * (T::Key::WORDS + 2)
    }

    /// Records what finds the best elements of `input` into `encoder`; they are left in `output` when the encoder's commands run.
    ///
    /// # Errors
    /// [`Error::MissingUsage`], [`Error::OutOfRange`], [`Error::Misaligned`], [`Error::Overlap`], [`Error::OutputTooSmall`],
    /// [`Error::TextureInParts`]; [`Error::LimitTooSmall`] of an input in more parts than a workgroup chooses among; nothing is recorded
    /// then.
    pub fn record<'i>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        input: impl Into<Input<'i, T>>,
        output: impl Into<Output<'i>>,
    ) -> Result<()> {
        self.prepare(input, output)?.record(encoder)
    }

    /// Makes ready what [`Ranker::record`] would record.
    ///
    /// # Errors
    /// As for [`Ranker::record`].
    pub fn prepare<'i>(&self, input: impl Into<Input<'i, T>>, output: impl Into<Output<'i>>) -> Result<Prepared> {
        let (input, output) = (input.into(), output.into());
        let bytes = output.claim(self.operator, self.output_words(), 1)?;
        input.ranges.reads(output.buffer, &bytes)?;
        let words = Words { buffer: output.buffer, bytes };
        self.prepared(&input, &BestTo { words, room: self.k, counted: output.counted, seal: None })
    }

    fn prepared(&self, input: &Input<'_, T>, to: &BestTo<'_>) -> Result<Prepared> {
        let (pieces, buffers) = input.ranges.pieces()?;
        let limits = &self.context.limits;
        let needs = to.words.bytes.end - to.words.bytes.start / limits.storage_alignment * limits.storage_alignment;
        if needs > limits.binding_bytes_max {
            let (limit, value) = ("max_storage_buffer_binding_size", limits.binding_bytes_max);
            return Err(Error::LimitTooSmall { limit, value, needs });
        }
        let plan = Tournament::of(limits, self.rules, &pieces, T::DTYPE.bytes(), self.k)?;
        self.context.tournament(&self.texts, &plan, &buffers, to)
    }

    /// Submits it; what is pending has the elements, their indices and their number.
    fn submit(&self, input: &Input<'_, T>) -> Result<Pending> {
        let context = &self.context;
        let readback = Readback::new(context, 1, vec![self.output_words() + 1])?;
        let (Destination { buffer, offset, size, seal }, _) = readback.destination(0);
        let words = Words { buffer, bytes: offset..offset + size };
        let prepared = self.prepared(input, &BestTo { words, room: self.k, counted: true, seal: Some(seal) })?;
        context.sent(&prepared, readback)
    }

    /// Submits it and waits for the elements.
    ///
    /// # Errors
    /// As for [`Ranker::record`]; [`Error::Timeout`], [`Error::DeviceLost`], [`Error::ResultMissing`].
    pub fn reduce<'i>(&self, input: impl Into<Input<'i, T>>) -> Result<Ranked<T>> {
        may_block("Ranker::reduce", "Ranker::reduce_async")?;
        ranked(self.submit(&input.into())?.wait(&self.context)?, self.k)
    }

    /// Submits it; the future brings the elements. See [`AnswerFuture`] for how it waits.
    ///
    /// # Errors
    /// As for [`Ranker::reduce`].
    pub fn reduce_async<'i>(&self, input: impl Into<Input<'i, T>>) -> AnswerFuture<Ranked<T>> {
        let (pending, context, k) = (self.submit(&input.into()), self.context.clone(), self.k);
        Box::pin(async move { ranked(pending?.results(&context, Waiting::Yielding).await?, k) })
    }
}

/// The elements among the words of a result.
fn ranked<T: Scalar>(results: Vec<Vec<u32>>, k: u32) -> Result<Ranked<T>> {
    match results.first().and_then(|words| words.split_last()) {
        Some((&found, words)) if found <= k => Ok(Ranked::of_words(words, k, found)),
        _ => Err(Error::ResultMissing),
    }
}

impl Gpu {
    /// A ranker on this device. Its pipelines are shared with all others of this `Gpu`.
    ///
    /// # Errors
    /// As for [`Ranker::new`].
    pub fn ranker<T: Scalar, const HIGH: bool>(&self, op: impl Op<T, Fold = Ranking<HIGH>>) -> Result<Ranker<T>> {
        Ranker::on(self.context().clone(), &op)
    }
}
