//! Reductions of one submission with results for the host; without types, so that it is compiled once for all operators.

use super::segments::{Keyed, SegmentBatch};
use crate::device::{Context, Pending, Prepared, Readback, Recorder, Waiting};
use crate::error::{Error, Result};
use crate::input::{Groups, Origin, Piece, Ranges, Strided};
use crate::op::DeviceOp;
use crate::plan::{Arrangement, COUNT_WORDS, Request, Store};
use std::sync::Arc;

/// One plan of a submission.
struct Job<'b> {
    pieces: Vec<Piece>,
    origins: Vec<Origin<'b>>,
    each: Arrangement<'b>,
    /// Position of its first element, or of every answer's.
    start: u64,
    /// Number of its first result.
    result: u64,
}

/// The parts of each input.
enum Inputs {
    /// Of each input the number of its parts, and how many elements it has.
    Known(Vec<(usize, u64)>),
    /// Each is one part, and behind its accumulators stands how many elements it has.
    Counted,
}

/// Inputs under way.
pub(super) struct Submitted {
    inputs: Inputs,
    pending: Pending,
}

/// Accumulators as words.
pub(super) struct Results {
    /// Of each input the number of its parts, and how many elements it has.
    pub inputs: Vec<(usize, u64)>,
    /// The accumulators of all parts.
    pub parts: Vec<Vec<u32>>,
}

impl Submitted {
    /// Waits as it is told to; see [`Pending::results`].
    pub async fn results(self, context: &Arc<Context>, op: &DeviceOp, waiting: Waiting) -> Result<Results> {
        let parts = self.pending.results(context, waiting).await?;
        let counted = |words: &Vec<u32>| (1, words.last().copied().unwrap_or(0).into());
        let inputs = match self.inputs {
            Inputs::Known(inputs) => inputs,
            Inputs::Counted => parts.iter().map(counted).collect(),
        };
        Ok(Results { inputs, parts: parts.into_iter().map(|words| op.expand(&words)).collect() })
    }

    /// Blocks until they are there.
    pub fn wait(self, recorder: &Recorder) -> Result<Results> {
        pollster::block_on(self.results(&recorder.context, &recorder.op, Waiting::Blocking))
    }
}

/// Submits the reductions of inputs, each of which begins at `first` and is cut into parts of at most `most` elements.
pub(super) fn submit(recorder: &Recorder, inputs: &[&Ranges], most: u64, first: u64) -> Result<Submitted> {
    let (jobs, inputs) = whole_jobs(inputs, most, first)?;
    let pending = launch(recorder, &jobs, jobs.len() as u64)?;
    Ok(Submitted { inputs: Inputs::Known(inputs), pending })
}

/// Of each input the number of its parts, and how many elements it has.
type Parts = Vec<(usize, u64)>;

/// The jobs of inputs, a part each; of each input the number of its parts, and how many elements it has.
fn whole_jobs<'b>(inputs: &[&Ranges<'b>], most: u64, first: u64) -> Result<(Vec<Job<'b>>, Parts)> {
    let (mut jobs, mut counts) = (Vec::new(), Vec::new());
    for input in inputs {
        let (pieces, origins) = input.origins()?;
        let parts = cut(&pieces, most);
        counts.push((parts.len(), elements(&pieces)));
        let mut start = first;
        for pieces in parts {
            let next = start.wrapping_add(elements(&pieces));
            let (each, result) = (Arrangement::Whole, jobs.len() as u64);
            jobs.push(Job { pieces, origins: origins.clone(), each, start, result });
            start = next;
        }
    }
    Ok((jobs, counts))
}

/// The reduction of one input, ready to be submitted again and again.
#[derive(Debug)]
pub(super) struct Standing {
    inputs: Vec<(usize, u64)>,
    op: DeviceOp,
    /// One for each seal.
    prepared: [Prepared; 2],
    /// Where the next results land; or why there are no more.
    readback: Result<Readback>,
}

impl Standing {
    /// Of an input that is cut into parts of at most `most` elements.
    pub fn new(recorder: &Recorder, input: &Ranges<'_>, most: u64) -> Result<Standing> {
        let (jobs, inputs) = whole_jobs(&[input], most, 0)?;
        let readback = landing(recorder, &jobs, jobs.len() as u64)?;
        let now = ready(recorder, &jobs, &readback)?;
        let readback = readback.turned();
        let next = ready(recorder, &jobs, &readback)?;
        // Back to the seal that does not lie there.
        let readback = readback.turned();
        let prepared = if readback.turn() == 0 { [now, next] } else { [next, now] };
        Ok(Standing { inputs, op: recorder.op.clone(), prepared, readback: Ok(readback) })
    }

    /// What a call submits. A call behind it would take its results for those of its own.
    pub fn into_dispatches(self) -> Prepared {
        let [first, _] = self.prepared;
        first
    }

    /// Submits it and blocks until its results are there.
    pub fn results(&mut self, context: &Context) -> Result<Results> {
        let brought = std::mem::replace(&mut self.readback, Err(Error::ResultMissing))
            .and_then(|readback| context.sent(&self.prepared[readback.turn()], readback))
            .and_then(|sent| sent.wait_turned(context));
        let (parts, readback) = brought.inspect_err(|error| self.readback = Err(error.clone()))?;
        self.readback = Ok(readback);
        let parts = parts.into_iter().map(|words| self.op.expand(&words)).collect();
        Ok(Results { inputs: self.inputs.clone(), parts })
    }
}

/// Bytes of the results of one submission, about.
const RESULTS_BYTES: u64 = 16 << 20;

/// The reductions of each answer of a view, submitted one by one as they are asked for: so many answers at once that
/// one binding holds their results, of so many elements of each a time; the first element of every answer has this
/// position. The flag says that what comes is more elements of the answers that came last, in place of answers that
/// follow.
pub(super) fn each_answer<'a>(
    recorder: &'a Recorder,
    input: &Ranges<'a>,
    strided: &Strided,
    (most, position): (u64, u64),
) -> Result<impl Iterator<Item = Result<(Submitted, bool)>> + use<'a>> {
    let (pieces, buffers) = input.pieces()?;
    let origins: Vec<_> = buffers.into_iter().map(Origin::Buffer).collect();
    let each = 4 * recorder.op.sealed_words() as u64;
    let together = Readback::together(&recorder.context, each).min((RESULTS_BYTES / each).max(1));
    let parts = move |block: Strided| {
        let starts = move |next: &mut u64, part: Strided| {
            let start = *next;
            *next = start.wrapping_add(part.length());
            Some((part, start))
        };
        short_parts(block, most).into_iter().scan(position, starts).zip((0..).map(|number| number > 0))
    };
    let submitted = move |((part, start), more): ((Strided, u64), bool)| {
        let each = Arrangement::Strided(&part);
        let job = Job { pieces: pieces.clone(), origins: origins.clone(), each, start, result: 0 };
        let pending = launch(recorder, &[job], part.answers())?;
        let inputs = vec![(1, part.length()); part.answers() as usize];
        Ok((Submitted { inputs: Inputs::Known(inputs), pending }, more))
    };
    Ok(few_answers(strided.clone(), together).into_iter().flat_map(parts).map(submitted))
}

/// A view in blocks of at most so many answers, in their order; none of none.
pub(super) fn few_answers(block: Strided, most: u64) -> Vec<Strided> {
    match block.kept.first().map(|dim| dim.length) {
        Some(length) if block.answers() > most => {
            let half = length / 2;
            let parts = [block.kept_part(0, half), block.kept_part(half, length - half)];
            parts.into_iter().flat_map(|part| few_answers(part, most)).collect()
        }
        _ if block.answers() == 0 => Vec::new(),
        _ => vec![block],
    }
}

/// The reductions of the segments of a group, submitted one by one as they are asked for, so many at once that one binding holds
/// their results.
pub(super) fn each_segment<'a>(
    recorder: &'a Recorder,
    group: SegmentBatch<'a>,
) -> impl Iterator<Item = Result<Submitted>> + use<'a> {
    let counted = group.ends.counted();
    // Behind the last one stands how many there are.
    let room = together(recorder);
    let together = (room - u64::from(counted)).max(1);
    (0..group.ends.segments).step_by(together as usize).map(move |done| {
        if room < 2 && counted {
            let (limit, value) = ("max_storage_buffer_binding_size", recorder.context.limits.binding_bytes_max);
            return Err(Error::LimitTooSmall { limit, value, needs: 8 * recorder.op.sealed_words() as u64 });
        }
        let now = together.min(group.ends.segments - done);
        let ends = group.ends.part(done, now);
        let each = Arrangement::Segments(ends);
        let job = Job { pieces: group.pieces.clone(), origins: group.origins(), each, start: 0, result: 0 };
        let pending = launch(recorder, &[job], now + u64::from(counted))?;
        let pending = if counted { pending.counted(ends.first) } else { pending };
        Ok(Submitted { inputs: Inputs::Counted, pending })
    })
}

/// The reductions of groups by key, submitted one by one as they are asked for, so many at once that one binding holds their results;
/// the first element has this position.
pub(super) fn each_group<'a>(
    recorder: &'a Recorder,
    keyed: Keyed<'a>,
    groups: u64,
    start: u64,
) -> impl Iterator<Item = Result<Submitted>> + use<'a> {
    let elements = elements(&keyed.pieces);
    // Where nothing can be planned, the plan says why.
    let together = together(recorder).min(recorder.planner.groups_together(elements).unwrap_or(1));
    (0..groups).step_by(together as usize).map(move |first| {
        let Keyed { pieces, keys, origins } = &keyed;
        let now = together.min(groups - first);
        let each = Arrangement::Groups(Groups { keys, first, groups: now });
        let job = Job { pieces: pieces.clone(), origins: origins.clone(), each, start, result: 0 };
        Ok(Submitted { inputs: Inputs::Counted, pending: launch(recorder, &[job], now)? })
    })
}

/// Results with a count that one binding holds, and that come to the host at once.
fn together(recorder: &Recorder) -> u64 {
    let each = 4 * (recorder.op.sealed_words() as u64 + COUNT_WORDS);
    Readback::together(&recorder.context, each).min((RESULTS_BYTES / each).max(1))
}

/// A view in parts of at most so many elements of each answer, in their order.
fn short_parts(block: Strided, most: u64) -> Vec<Strided> {
    let Some(dim) = block.reduced.first().filter(|_| block.length() > most) else { return vec![block] };
    let inner = block.length() / dim.length;
    let step = (most / inner).max(1);
    let cuts = (0..dim.length).step_by(step as usize);
    cuts.flat_map(|at| short_parts(block.reduced_part(at, step.min(dim.length - at)), most)).collect()
}

/// Submits jobs that have so many results in all.
fn launch(recorder: &Recorder, jobs: &[Job], results: u64) -> Result<Pending> {
    let readback = landing(recorder, jobs, results)?;
    recorder.context.sent(&ready(recorder, jobs, &readback)?, readback)
}

/// The place of so many results.
fn landing(recorder: &Recorder, jobs: &[Job], results: u64) -> Result<Readback> {
    let op = &recorder.op;
    let mut groups: Vec<usize> = op.groups().iter().map(|group| op.group_words(group)).collect();
    if jobs.iter().any(|job| matches!(job.each, Arrangement::Segments(_) | Arrangement::Groups(_))) {
        groups.push(COUNT_WORDS as usize - 1);
    }
    Readback::of_each(&recorder.context, results, groups)
}

/// The dispatches of jobs whose results land there.
fn ready(recorder: &Recorder, jobs: &[Job], readback: &Readback) -> Result<Prepared> {
    let plan = |job: &Job| {
        let Job { pieces, each, start, result, .. } = job;
        let (destination, output) = readback.destination(*result);
        let (each, start, store) = (*each, *start, Store::Sealed);
        let plan = recorder.planner.plan(&Request { pieces, each, start, direct: true, store, output })?;
        Ok((plan, destination))
    };
    let plans = jobs.iter().map(plan).collect::<Result<Vec<_>>>()?;
    let all: Vec<_> =
        plans.iter().zip(jobs).map(|((plan, destination), job)| (plan, &job.origins[..], *destination)).collect();
    recorder.make_all(&all)
}

/// Elements of all pieces.
fn elements(pieces: &[Piece]) -> u64 {
    pieces.iter().map(|piece| piece.elements).sum()
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
