//! The k best elements of inputs on the device.

use super::explain::{Explanation, tournament};
use super::futures::AnswerFuture;
use super::rank_each::Lists;
use crate::device::{
    BestTo, Context, Destination, Gpu, Pending, Prepared, Readback, TournamentTexts, Waiting, Words, may_block,
};
use crate::element::{Dtype, Scalar};
use crate::error::{Error, Result};
use crate::input::{Input, Output, Piece};
use crate::op::{Op, Ranks};
use crate::ops::{Ranked, Ranking};
use crate::plan::{Rules, TEAMS, Tournament, Tuning};
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

/// The k largest or smallest elements on a device: [`Top`](crate::ops::Top) or [`Bottom`](crate::ops::Bottom), recorded as other
/// reductions are or with the answer on the host, with the same elements and indices as on the CPU.
///
/// The input is read once; what comes behind that reads a few tiles of it, whatever the order of the elements. A good guest, as a
/// [`Reducer`](crate::Reducer) is: it asks for no feature, labels what it makes, and neither submits nor waits where it records.
///
/// - **In the output**: k elements (a word each, or two (low, high) of 64 bits; of f16 a word), then k indices (low, high), then how many elements were
///   found, unless the output is [bare](Output::bare). What is not found is all ones.
/// - **Inputs**: buffers and parts of buffers, any number of them. **Of each of many rows, axes or segments**: [`Ranker::record_each`].
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
    pub(super) contest: Contest,
    pub(super) operator: &'static str,
    element: PhantomData<T>,
}

/// Tournaments on a device. Their elements have a type as a value, so that a stream compiles this once.
#[derive(Debug)]
pub(super) struct Contest {
    pub context: Arc<Context>,
    pub dtype: Dtype,
    pub ranks: Ranks,
    rules: Rules,
    texts: TournamentTexts,
    /// Of many answers, by teams of each kind, once they are asked for.
    pub lists: [OnceLock<Lists>; TEAMS.len()],
}

impl Contest {
    /// With its kernels.
    pub fn on(context: Arc<Context>, dtype: Dtype, ranks: Ranks) -> Result<Contest> {
        let rules = Rules::of(&context.limits, context.tuning(), 4 * ranks.words as u64)?;
        let texts = TournamentTexts::of(dtype, &rules, &ranks.wgsl);
        let contest = Contest { context, dtype, ranks, rules, texts, lists: Default::default() };
        // Whatever the input is, so many are chosen.
        contest.plan(&[])?;
        contest.context.compile_tournament(&contest.texts)?;
        Ok(contest)
    }

    /// The plan over these pieces.
    pub fn plan(&self, pieces: &[Piece]) -> Result<Tournament> {
        Tournament::of(&self.context.limits, self.rules, pieces, self.dtype.bytes(), self.ranks.wanted)
    }

    /// Makes ready what leaves the best elements of these pieces of buffers in a result that the host reads.
    pub fn prepared(&self, pieces: &[Piece], buffers: &[&wgpu::Buffer], to: &Destination<'_>) -> Result<Prepared> {
        let words = Words { buffer: to.buffer, bytes: to.offset..to.offset + to.size };
        self.prepared_to(pieces, buffers, &self.to(words, true, Some(to.seal)))
    }

    pub fn to<'b>(&self, words: Words<'b>, counted: bool, seal: Option<u32>) -> BestTo<'b> {
        BestTo { words, room: self.ranks.wanted, counted, seal }
    }

    pub fn prepared_to(&self, pieces: &[Piece], buffers: &[&wgpu::Buffer], to: &BestTo<'_>) -> Result<Prepared> {
        let limits = &self.context.limits;
        let needs = to.words.bytes.end - to.words.bytes.start / limits.storage_alignment * limits.storage_alignment;
        if needs > limits.binding_bytes_max {
            let (limit, value) = ("max_storage_buffer_binding_size", limits.binding_bytes_max);
            return Err(Error::LimitTooSmall { limit, value, needs });
        }
        self.context.tournament(&self.texts, &self.plan(pieces)?, buffers, to)
    }

    /// The tournament over so many elements of one buffer, explained.
    pub fn explain(&self, elements: u64) -> Result<Explanation> {
        Ok(tournament(&self.plan(&[Piece::of(0, 0, elements)])?, &self.texts, self.ranks.wanted))
    }

    /// Room for a result.
    pub fn readback(&self) -> Result<Readback> {
        Readback::new(&self.context, 1, vec![self.ranks.output_words() + 1])
    }
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
        let contest = Contest::on(context, T::DTYPE, op.fold().listed::<T>())?;
        Ok(Ranker { contest, operator: op.name(), element: PhantomData })
    }

    /// Number of elements that are wanted.
    pub fn k(&self) -> u32 {
        self.contest.ranks.wanted
    }

    /// Words that the elements and indices take in an output, without the count.
    pub fn output_words(&self) -> usize {
        self.contest.ranks.output_words()
    }

    /// What finds the best of so many elements of one buffer, explained: the rounds in words, and the WGSL of each kernel.
    ///
    /// # Errors
    /// As for [`Ranker::record`].
    pub fn explain(&self, elements: u64) -> Result<Explanation> {
        self.contest.explain(elements)
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
        let (pieces, buffers) = input.ranges.pieces()?;
        self.contest.prepared_to(&pieces, &buffers, &self.contest.to(words, output.counted, None))
    }

    /// Submits it; what is pending has the elements, their indices and their number.
    fn submit(&self, input: &Input<'_, T>) -> Result<Pending> {
        let readback = self.contest.readback()?;
        let (pieces, buffers) = input.ranges.pieces()?;
        let prepared = self.contest.prepared(&pieces, &buffers, &readback.destination(0).0)?;
        self.contest.context.sent(&prepared, readback)
    }

    /// Submits it and waits for the elements.
    ///
    /// # Errors
    /// As for [`Ranker::record`]; [`Error::Timeout`], [`Error::DeviceLost`], [`Error::ResultMissing`].
    pub fn reduce<'i>(&self, input: impl Into<Input<'i, T>>) -> Result<Ranked<T>> {
        may_block("Ranker::reduce", "Ranker::reduce_async")?;
        ranked(self.submit(&input.into())?.wait(&self.contest.context)?, self.k())
    }

    /// Submits it; the future brings the elements. See [`AnswerFuture`] for how it waits.
    ///
    /// # Errors
    /// As for [`Ranker::reduce`].
    pub fn reduce_async<'i>(&self, input: impl Into<Input<'i, T>>) -> AnswerFuture<Ranked<T>> {
        let (pending, context, k) = (self.submit(&input.into()), self.contest.context.clone(), self.k());
        Box::pin(async move { ranked(pending?.results(&context, Waiting::Yielding).await?, k) })
    }
}

/// The elements among the words of a result.
fn ranked<T: Scalar>(results: Vec<Vec<u32>>, k: u32) -> Result<Ranked<T>> {
    results.first().map_or(Err(Error::ResultMissing), |words| found_in(words, k))
}

/// The same of one result.
pub(super) fn found_in<T: Scalar>(words: &[u32], k: u32) -> Result<Ranked<T>> {
    match words.split_last() {
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
