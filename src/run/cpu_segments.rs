//! Segments on the CPU: short ones in shares of equal work, long ones on all threads.

use super::cpu::{BLOCK, Cpu, accumulate_all, on_threads};
use super::finish::finished;
use crate::element::Element;
use crate::error::Result;
use crate::input::{Offsets, room};
use crate::op::{Fold, Op};
use std::sync::{Mutex, PoisonError};

/// Elements of a segment from which on all threads take it together.
const LONG: u64 = (BLOCK as u64) << 4;
/// Elements and segments that are worth a thread.
const SHARE: u64 = BLOCK as u64;

impl Cpu {
    /// The answer of each segment: segment s has elements `offsets[s]` to `offsets[s + 1]`.
    ///
    /// ```
    /// use treefold::{Cpu, ops::Sum};
    /// let sums = Cpu::new().reduce_segments(Sum, &[1u32, 2, 4, 8], &[0, 1, 1, 4])?;
    /// assert_eq!(sums, [1, 0, 14]);
    /// # Ok::<(), treefold::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoOffsets`](crate::Error::NoOffsets), [`Error::OffsetsFall`](crate::Error::OffsetsFall),
    /// [`Error::OffsetsOutside`](crate::Error::OffsetsOutside); what [`Op::finish`] says.
    pub fn reduce_segments<T: Element, O: Op<T>>(
        &self,
        op: O,
        elements: &[T],
        offsets: &[u64],
    ) -> Result<Vec<O::Output>> {
        Offsets::check(offsets, elements.len() as u64)?;
        let accs = self.accumulate_segments(&op.fold(), elements, offsets, 0)?;
        finished(accs, self.threads(), |segment, acc| op.finish(acc, offsets[segment + 1] - offsets[segment]))
    }

    /// The accumulator of each segment; the first element of the first segment has this position in it. Offsets rise and stay within the
    /// elements.
    pub(crate) fn accumulate_segments<T: Element, F: Fold<T>>(
        &self,
        fold: &F,
        elements: &[T],
        offsets: &[u64],
        position: u64,
    ) -> Result<Vec<F::Acc>> {
        let segments = offsets.len().saturating_sub(1);
        let mut all = room(segments as u64)?;
        let of = |s: usize| &elements[offsets[s] as usize..offsets[s + 1] as usize];
        let start = |s: usize| if s == 0 { position } else { 0 };
        let mut first = 0;
        while first < segments {
            let more = offsets[first..].windows(2).take_while(|pair| pair[1] - pair[0] < LONG);
            let end = first + more.count();
            // Short ones, in shares of as many elements and segments.
            let work = offsets[end] - offsets[first] + (end - first) as u64;
            let parts = work.div_ceil(SHARE).min(self.threads() as u64).max(1);
            let mut cuts = vec![first];
            for s in first + 1..end {
                // A share is full where its elements and segments are.
                let done = offsets[s] - offsets[first] + (s - first) as u64;
                if done * parts >= cuts.len() as u64 * work {
                    cuts.push(s);
                }
            }
            cuts.extend((end > first).then_some(end));
            let found: Vec<Mutex<Vec<F::Acc>>> = (1..cuts.len()).map(|_| Mutex::default()).collect();
            on_threads(found.len(), &|part| {
                let mut accs = Vec::new();
                accumulate_all(fold, (cuts[part]..cuts[part + 1]).map(|s| (of(s), start(s))), &mut accs);
                *found[part].lock().unwrap_or_else(PoisonError::into_inner) = accs;
            });
            all.extend(found.into_iter().flat_map(|part| part.into_inner().unwrap_or_else(PoisonError::into_inner)));
            if end < segments {
                all.push(self.accumulate(fold, of(end), start(end)));
            }
            first = end + 1;
        }
        Ok(all)
    }
}
