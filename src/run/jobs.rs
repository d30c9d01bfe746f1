//! Reductions of one submission with results for the host; without types, so that it is compiled once for all operators.

use crate::device::{Context, Pending, Readback, Recorder, Waiting, compute_pass};
use crate::error::Result;
use crate::input::{Piece, Ranges};
use crate::op::DeviceOp;
use crate::plan::{Request, Store};
use std::sync::Arc;

/// One plan of a submission.
struct Job<'b> {
    pieces: Vec<Piece>,
    buffers: Vec<&'b wgpu::Buffer>,
    row: Option<u64>,
    /// Position of its first element.
    start: u64,
    /// Number of its first result.
    result: u64,
}

/// Inputs under way.
pub(super) struct Submitted {
    inputs: Vec<(usize, u64)>,
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
        Ok(Results { inputs: self.inputs, parts: parts.into_iter().map(|words| op.expand(&words)).collect() })
    }

    /// Blocks until they are there.
    pub fn wait(self, recorder: &Recorder) -> Result<Results> {
        pollster::block_on(self.results(&recorder.context, &recorder.op, Waiting::Blocking))
    }
}

/// Submits the reductions of inputs, each of which begins at `first` and is cut into parts of at most `most` elements.
pub(super) fn submit(recorder: &Recorder, inputs: &[&Ranges], most: u64, first: u64) -> Result<Submitted> {
    let inputs = inputs.iter().map(|input| input.pieces()).collect::<Result<_>>()?;
    submit_pieces(recorder, inputs, most, first)
}

fn submit_pieces(
    recorder: &Recorder,
    pieces: Vec<(Vec<Piece>, Vec<&wgpu::Buffer>)>,
    most: u64,
    first: u64,
) -> Result<Submitted> {
    let (mut jobs, mut inputs) = (Vec::new(), Vec::new());
    for (pieces, buffers) in pieces {
        let parts = cut(&pieces, most);
        inputs.push((parts.len(), elements(&pieces)));
        let mut start = first;
        for pieces in parts {
            let next = start.wrapping_add(elements(&pieces));
            jobs.push(Job { pieces, buffers: buffers.clone(), row: None, start, result: jobs.len() as u64 });
            start = next;
        }
    }
    let pending = launch(recorder, &jobs, jobs.len() as u64)?;
    Ok(Submitted { inputs, pending })
}

/// Reduces rows of one length, so many at once that their results fit a binding of at most 16 MiB, and gives `take` what comes.
pub(super) fn each_row(
    recorder: &Recorder,
    input: &Ranges,
    length: u64,
    most: u64,
    take: &mut dyn FnMut(&Results),
) -> Result<()> {
    let (pieces, buffers) = input.pieces()?;
    let filled = |most| cut(&pieces, most).into_iter().filter(|pieces| !pieces.is_empty());
    if length > most {
        let rows = filled(length).map(|row| (row, buffers.clone())).collect();
        take(&submit_pieces(recorder, rows, most, 0)?.wait(recorder)?);
        return Ok(());
    }
    let bytes = recorder.context.limits.binding_bytes_max.min(16 << 20);
    let each = (bytes / (4 * recorder.op.sealed_words() as u64)).max(1);
    for pieces in filled(each.saturating_mul(length)) {
        let rows = elements(&pieces) / length;
        let job = Job { pieces, buffers: buffers.clone(), row: Some(length), start: 0, result: 0 };
        let pending = launch(recorder, &[job], rows)?;
        take(&Submitted { inputs: vec![(1, length); rows as usize], pending }.wait(recorder)?);
    }
    Ok(())
}

/// Submits jobs that have so many results in all.
fn launch(recorder: &Recorder, jobs: &[Job], results: u64) -> Result<Pending> {
    let (context, op) = (&recorder.context, &recorder.op);
    let groups = op.groups().iter().map(|group| op.group_words(group)).collect();
    let readback = Readback::new(context, results, groups)?;
    let mut encoder =
        context.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("treefold: reduce") });
    let mut compute = compute_pass(&mut encoder);
    for Job { pieces, buffers, row, start, result } in jobs {
        let (destination, output) = readback.destination(*result);
        let (row, start, store) = (*row, *start, Store::Sealed);
        let plan = recorder.planner.plan(&Request { pieces, row, start, direct: true, store, output })?;
        recorder.record(&mut compute, &plan, buffers, destination)?;
    }
    drop(compute);
    context.guarded("a submission", 0, || {
        readback.copy(&mut encoder);
        let submission = context.queue.submit([encoder.finish()]);
        readback.request(submission)
    })
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
