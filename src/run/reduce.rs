//! Reductions with the answer on the host: one, many, by rows, or as parts that are finished elsewhere.

use super::crew::copiers;
use super::finish;
use super::jobs::{Results, Submitted, each_answer, each_group, each_segment, submit};
use super::reducer::Reducer;
use super::segments::Keyed;
use crate::device::may_block;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::input::{Divided, Each, Input, room};
use crate::op::{Acc, Fold, Op, Partial, Span};

/// Bytes of what a group of a batch holds: recorded commands, on both sides of wgpu, and results, which are there twice.
const BATCH_BYTES: u64 = 32 << 20;
/// Bytes of what the record of a range holds, about.
const RECORD_BYTES: u64 = 8 << 10;

/// Inputs of a batch that are submitted at once: the device reduces them while the next are recorded. A batch of 1000 inputs apart on an H200, by
/// 1000, 500, 250, 128, 64 and 32 at once, twice each (`cargo bench --bench answer`): 11.9 and 13.1 µs an answer, 8.1 and 10.1, 9.7 and 9.6, 9.8
/// and 9.7, 9.1 and 10.7, 11.6 and 6.5.
const TOGETHER: usize = 250;

/// Inputs in step that are reduced as rows: fewer are not worth more pipelines.
const ROWS_MIN: usize = 16;

/// Accumulators, each with how many elements it has.
pub(super) type Counted<T, O> = Vec<(Acc<T, O>, u64)>;

/// Submissions, and whether what each brings is more elements of the answers that came last.
pub(super) type Submissions<'a> = Box<dyn Iterator<Item = Result<(Submitted, bool)>> + 'a>;

impl<T: Element, O: Op<T>> Reducer<T, O> {
    /// Submits the reduction of `input` and waits for the answer.
    ///
    /// # Errors
    /// As for [`Reducer::record`]; [`Error::Timeout`], [`Error::DeviceLost`], [`Error::ResultMissing`]; what
    /// [`Op::finish`] says.
    pub fn reduce<'i>(&self, input: impl Into<Input<'i, T>>) -> Result<O::Output> {
        may_block("Reducer::reduce", "Reducer::reduce_async")?;
        finished(&self.op, self.accumulate(&[input.into()], 0)?)?.pop().ok_or(Error::ResultMissing)
    }

    /// Answers many inputs, in their order: hundreds with one submission, thousands before the first is awaited. Besides the answers at most 64 MiB
    /// are held at once, if no single input takes more.
    ///
    /// Inputs of one length that lie in one buffer at one distance, 16 or more, are [rows](Input::rows), with the kernels of rows: of fast
    /// float operators the answers may differ from those of [`Reducer::reduce`] in their last bits.
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
        let (mut group, mut room, mut answers) = (Vec::new(), most, Vec::new());
        for input in inputs {
            let input = input.into();
            let needs = each + RECORD_BYTES * input.ranges.count().max(1);
            group.push(input);
            room = room.saturating_sub(needs);
            if room == 0 {
                answers.extend(finished(&self.op, self.accumulate_many(&group)?)?);
                (group, room) = (Vec::new(), most);
            }
        }
        answers.extend(finished(&self.op, self.accumulate_many(&group)?)?);
        Ok(answers)
    }

    /// The accumulators of inputs of a batch: as rows, where they are some.
    fn accumulate_many(&self, inputs: &[Input<T>]) -> Result<Counted<T, O>> {
        let rows = Some(inputs).filter(|inputs| inputs.len() >= ROWS_MIN).and_then(Each::in_step);
        match rows.map(|rows| self.accumulate_each(&rows, 0)) {
            // What has no plan as rows, or no kernel for them that this device gets right, may have one input by input; if not, its error
            // is that of the first input that has none.
            Some(Err(
                Error::LimitTooSmall { .. }
                | Error::TooManyPartials { .. }
                | Error::TooManyTrips { .. }
                | Error::ViewTooScattered { .. }
                | Error::NoExactKernel { .. }
                | Error::OutOfRange { .. },
            ))
            | None => self.accumulate_in_turn(inputs),
            Some(done) => done,
        }
    }

    /// The accumulators of inputs, some of which are reduced while others are recorded.
    fn accumulate_in_turn(&self, inputs: &[Input<T>]) -> Result<Counted<T, O>> {
        let submitted = inputs.chunks(TOGETHER).map(|some| {
            let ranges: Vec<_> = some.iter().map(|input| &input.ranges).collect();
            submit(&self.recorder, &ranges, self.elements_max(), 0)
        });
        let submitted = submitted.collect::<Result<Vec<_>>>()?;
        let mut all = Vec::with_capacity(inputs.len());
        for submitted in submitted {
            all.extend(accs::<T, O>(&self.op, &submitted.wait(&self.recorder)?));
        }
        Ok(all)
    }

    /// Answers [rows](Input::rows) or [segments](Input::segments), in their order, or [axes](Input::over), in C order.
    ///
    /// # Errors
    /// As for [`Reducer::reduce`], and [`Reducer::record_each`].
    pub fn reduce_each(&self, each: Each<'_, T>) -> Result<Vec<O::Output>> {
        may_block("Reducer::reduce_each", "Reducer::reduce_each_async")?;
        finished(&self.op, self.accumulate_each(&each, 0)?)
    }

    /// Number of answers, and the submissions of them all, each made when it is asked for; see [`each_answer`].
    pub(super) fn submissions<'a>(&'a self, each: &'a Each<'_, T>, position: u64) -> Result<(u64, Submissions<'a>)> {
        let (input, count) = (&each.input.ranges, each.count()?);
        let all: Submissions = match self.divided(each, count)? {
            Divided::Strided(strided) => {
                Box::new(each_answer(self.by_rows(input, &strided)?, input, &strided, (self.elements_max(), position))?)
            }
            Divided::Groups(keys, groups) => {
                let blocks = each_group(self.by_groups()?, Keyed::new(&self.op, input, keys)?, groups, position);
                Box::new(blocks.map(|block| Ok((block?, false))))
            }
            Divided::Segments(segments) => {
                let (recorder, groups) = (self.by_segments()?, self.groups(input, &segments)?);
                let blocks = groups.into_iter().flat_map(move |group| each_segment(recorder, group));
                Box::new(blocks.map(|block| Ok((block?, false))))
            }
        };
        Ok((count, all))
    }

    /// The accumulator of each answer, of which the first element has this position, and how many elements it has.
    pub(super) fn accumulate_each(&self, each: &Each<'_, T>, position: u64) -> Result<Counted<T, O>> {
        let recorder = self.recorder_of(each)?;
        let (count, blocks) = self.submissions(each, position)?;
        let mut all = Gathered::of(&self.op, count)?;
        for block in blocks {
            let (submitted, more) = block?;
            all.take(&submitted.wait(recorder)?, more);
        }
        Ok(all.accs)
    }

    /// Submits the reduction of `input` and waits for its accumulator: a part of a reduction that is finished elsewhere.
    ///
    /// # Errors
    /// As for [`Reducer::reduce`].
    pub fn partial<'i>(&self, input: impl Into<Input<'i, T>>) -> Result<Partial<T, O>> {
        may_block("Reducer::partial", "Reducer::partial_async")?;
        let (acc, count) = self.accumulate(&[input.into()], 0)?.pop().ok_or(Error::ResultMissing)?;
        Ok(Partial::of(self.op.clone(), acc, Span { count, first: None }))
    }

    /// The same of an input whose first element has this place in the whole.
    ///
    /// # Errors
    /// As for [`Reducer::reduce`].
    pub fn partial_at<'i>(&self, input: impl Into<Input<'i, T>>, first: u64) -> Result<Partial<T, O>> {
        may_block("Reducer::partial_at", "Reducer::partial_async")?;
        let (acc, count) = self.accumulate(&[input.into()], first)?.pop().ok_or(Error::ResultMissing)?;
        Ok(Partial::of(self.op.clone(), acc, Span { count, first: Some(first) }))
    }

    /// The accumulators of many inputs, each of which begins at `first`, and how many elements each has.
    pub(crate) fn accumulate(&self, inputs: &[Input<T>], first: u64) -> Result<Counted<T, O>> {
        if inputs.is_empty() {
            return Ok(Vec::new());
        }
        let ranges: Vec<_> = inputs.iter().map(|input| &input.ranges).collect();
        let results = submit(&self.recorder, &ranges, self.elements_max(), first)?.wait(&self.recorder)?;
        Ok(accs::<T, O>(&self.op, &results))
    }
}

/// Answers from their accumulators and how many elements each has.
pub(super) fn finished<T: Element, O: Op<T>>(op: &O, accs: Counted<T, O>) -> Result<Vec<O::Output>> {
    finish::finished(accs, copiers(), |_, (acc, elements)| op.finish(acc, elements))
}

/// The accumulators of many answers, as they come.
pub(super) struct Gathered<'a, T: Element, O: Op<T>> {
    op: &'a O,
    /// Each with how many elements it has.
    pub accs: Counted<T, O>,
}

impl<'a, T: Element, O: Op<T>> Gathered<'a, T, O> {
    /// Room for so many.
    pub fn of(op: &'a O, answers: u64) -> Result<Self> {
        Ok(Gathered { op, accs: room(answers)? })
    }

    /// Takes what [`each_answer`] gives.
    pub fn take(&mut self, results: &Results, more: bool) {
        let found = accs::<T, O>(self.op, results);
        if !more {
            self.accs.extend(found);
            return;
        }
        let fold = self.op.fold();
        let from = self.accs.len() - found.len();
        for (place, (acc, count)) in self.accs[from..].iter_mut().zip(found) {
            *place = (fold.combine(place.0.clone(), acc), place.1 + count);
        }
    }
}

/// The accumulator of each input, from those of its parts, and how many elements it has.
pub(super) fn accs<T: Element, O: Op<T>>(op: &O, results: &Results) -> Counted<T, O> {
    let fold = op.fold();
    let mut parts = results.parts.iter();
    let mut acc = |count| {
        let parts = parts.by_ref().take(count).map(|words| fold.read_acc(words));
        parts.reduce(|a, b| fold.combine(a, b)).unwrap_or_else(|| fold.identity())
    };
    results.inputs.iter().map(|&(count, elements)| (acc(count), elements)).collect()
}
