//! Reductions with the answer on the host: one, many, by rows, or as parts that are finished elsewhere.

use super::reducer::Reducer;
use crate::device::{Pending, Readback, compute_pass};
use crate::element::Element;
use crate::error::{Error, Result, may_block};
use crate::input::{Input, Piece, Rows};
use crate::op::{Acc, DeviceOp, Fold, Op, Partial};
use crate::plan::{Request, Store};

/// Bytes of what a group of a batch holds: recorded commands, on both sides of wgpu, and results, which are there twice.
const BATCH_BYTES: u64 = 32 << 20;
/// Bytes of what the record of a range holds, about.
const RECORD_BYTES: u64 = 8 << 10;

impl<T: Element, O: Op<T>> Reducer<T, O> {
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
