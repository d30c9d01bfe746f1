//! The CPU engine: the operators' Rust twins on all cores, and the reference that the kernels are tested against.

use crate::element::Element;
use crate::error::Result;
use crate::input::{ToFold, earlier};
use crate::op::{Fold, Op, Partial, Span, accumulate_block};
use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use web_time::Instant;

/// Reduces on the threads of this machine: the engine where there is no adapter.
///
/// Elements are folded in blocks of fixed length whose accumulators are combined from left to right, so the result does
/// not depend on the number of threads.
///
/// ```
/// use treefold::{Cpu, ops::Sum};
/// let cpu = Cpu::with_threads(2);
/// assert_eq!(cpu.reduce(Sum, &vec![1u32; 1_000_000])?, 1_000_000);
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cpu {
    threads: usize,
}

impl Default for Cpu {
    fn default() -> Self {
        Cpu::new()
    }
}

/// Elements that one accumulator takes before it is combined with its neighbour's.
pub(super) const BLOCK: usize = 1 << 16;
/// Words of an accumulator beyond which blocks are combined as they come.
pub(super) const WIDE_WORDS: usize = 256;
/// Blocks of an input so short that other threads may not be worth their start: the first block tells. The time for which they are, and what
/// one is to have of it; a thread starts in 20 to 60 µs.
const SHORT_BLOCKS: usize = 64;
const WORTH_THREADS: Duration = Duration::from_micros(200);
const WORTH_ONE: Duration = Duration::from_micros(100);
/// Turns of a thread at least, where there are so many blocks, so that all end at about the same time, and the most blocks of one.
const TURNS: usize = 8;
const TURN_MAX: usize = 16;

impl Cpu {
    /// With as many threads as this process may run at once.
    pub fn new() -> Cpu {
        Cpu::with_threads(std::thread::available_parallelism().map_or(1, NonZero::get))
    }

    /// With so many threads; 0 counts as 1. One in browsers, where none can be started.
    pub fn with_threads(threads: usize) -> Cpu {
        let most = if cfg!(target_arch = "wasm32") { 1 } else { usize::MAX };
        Cpu { threads: threads.clamp(1, most) }
    }

    /// Number of threads that it uses.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// The answer of `op` over `elements`.
    ///
    /// # Errors
    /// Those of [`Op::finish`]: an integer result that does not fit.
    pub fn reduce<T: Element, O: Op<T>>(&self, op: O, elements: &[T]) -> Result<O::Output> {
        op.finish(self.accumulate(&op.fold(), elements, 0), elements.len() as u64)
    }

    /// The accumulator of `elements`, to be merged and finished elsewhere.
    pub fn partial<T: Element, O: Op<T>>(&self, op: O, elements: &[T]) -> Partial<T, O> {
        let acc = self.accumulate(&op.fold(), elements, 0);
        Partial::of(op, acc, Span { count: elements.len() as u64, first: None })
    }

    /// The same of elements whose first has this place in the whole input.
    pub fn partial_at<T: Element, O: Op<T>>(&self, op: O, elements: &[T], first: u64) -> Partial<T, O> {
        let acc = self.accumulate(&op.fold(), elements, first);
        Partial::of(op, acc, Span { count: elements.len() as u64, first: Some(first) })
    }

    /// The accumulator of `elements`, of which the first has this index in the whole input.
    pub(crate) fn accumulate<T: Element, F: Fold<T>>(&self, fold: &F, elements: &[T], index: u64) -> F::Acc {
        // What is here need not be read.
        let accs = self.accumulate_blocks(fold, &ToFold::Here(elements), index, u64::MAX).unwrap_or_default();
        accs.into_iter().fold(fold.identity(), |a, b| fold.combine(a, b))
    }

    /// The accumulators of blocks, in their order: elements that are not here yet are read block by block, by the thread that folds them.
    ///
    /// Wide accumulators, which are of integers, are combined as they come, to one of each thread; others are left to be combined in their
    /// order, so that the number of threads does not show in what is rounded.
    pub(super) fn accumulate_blocks<T: Element, F: Fold<T>>(
        &self,
        fold: &F,
        elements: &ToFold<'_, T>,
        index: u64,
        memory_bytes: u64,
    ) -> Result<Vec<F::Acc>> {
        let blocks = elements.len().div_ceil(BLOCK);
        let threads = self.threads_over(elements, memory_bytes);
        let wide = fold.acc_words() > WIDE_WORDS;
        let together = match blocks.div_ceil(threads.max(1)) {
            share if wide => share.max(1),
            _ if blocks <= SHORT_BLOCKS => 1,
            share => (share / TURNS).clamp(1, TURN_MAX),
        };
        let turns: Vec<_> = (0..blocks).step_by(together).map(|first| (first, Mutex::new(Ok(Vec::new())))).collect();
        let next = AtomicUsize::new(0);
        let work = |most: usize| {
            let mut space = Vec::new();
            let mine = || turns.get(next.fetch_add(1, Ordering::Relaxed));
            for (first, accs) in std::iter::from_fn(mine).take(most) {
                let end = elements.len().min((first + together) * BLOCK);
                let mut block = |range: Range<usize>, accs: &mut Vec<F::Acc>| {
                    let at = index.wrapping_add(range.start as u64);
                    let block = elements.part(range);
                    let block = block.seen(&mut space)?;
                    match accs.pop() {
                        Some(before) if wide => accs.push(fold.accumulate_onto(before, block, at)),
                        before => accs.extend(before.into_iter().chain([accumulate_block(fold, block, at)])),
                    }
                    Ok(())
                };
                let mut found = Vec::new();
                let read = blocks_of(first * BLOCK..end).try_for_each(|range| block(range, &mut found));
                if read.is_err() {
                    // Nobody needs the others.
                    next.store(turns.len(), Ordering::Relaxed);
                }
                *accs.lock().unwrap_or_else(PoisonError::into_inner) = read.map(|()| found);
            }
        };
        // What is read may take its time for reasons of its own.
        let tried = blocks <= SHORT_BLOCKS && matches!(elements, ToFold::Here(_));
        let threads = match threads > 1 && tried && !wide && !fold.is_heavy() {
            true => {
                let begun = Instant::now();
                work(1);
                let left = begun.elapsed() * turns.len().saturating_sub(1) as u32;
                if left < WORTH_THREADS { 1 } else { threads.min(left.div_duration_f64(WORTH_ONE) as usize) }
            }
            false => threads,
        };
        on_threads(threads, &|_| work(usize::MAX));
        let accs = turns.into_iter().map(|(_, accs)| accs.into_inner().unwrap_or_else(PoisonError::into_inner));
        Ok(accs.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }

    /// The accumulator of ranges, which threads take one by one until there are no more: of an operator whose order is free. Elements that are not
    /// here yet are read, as above.
    pub(super) fn accumulate_ranges<T: Element, F: Fold<T>>(
        &self,
        fold: &F,
        elements: &ToFold<'_, T>,
        index: u64,
        memory_bytes: u64,
        next: &(dyn Fn() -> Option<Range<usize>> + Sync),
    ) -> Result<F::Acc> {
        let all = Mutex::new(Ok(fold.identity()));
        let failed = AtomicBool::new(false);
        on_threads(self.threads_over(elements, memory_bytes), &|_| {
            let (mut space, mut acc) = (Vec::new(), Some(fold.identity()));
            let mut add = |range: Range<usize>| {
                let at = index.wrapping_add(range.start as u64);
                let block = elements.part(range);
                acc = Some(fold.accumulate_onto(
                    acc.take().unwrap_or_else(|| fold.identity()),
                    block.seen(&mut space)?,
                    at,
                ));
                Ok(())
            };
            let ranges = std::iter::from_fn(|| (!failed.load(Ordering::Relaxed)).then(next).flatten());
            let read = ranges.flat_map(blocks_of).try_for_each(&mut add);
            failed.fetch_or(read.is_err(), Ordering::Relaxed);
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            *all = match (std::mem::replace(&mut *all, Ok(fold.identity())), read) {
                (Ok(all), Ok(())) => Ok(fold.combine(all, acc.unwrap_or_else(|| fold.identity()))),
                (Err(before), Err(error)) => Err(earlier(before, error)),
                (Err(error), Ok(())) | (Ok(_), Err(error)) => Err(error),
            };
        });
        all.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Threads over so many elements, a block for each at least: those that read have room for a block each.
    pub(super) fn threads_over<T: Element>(&self, elements: &ToFold<'_, T>, memory_bytes: u64) -> usize {
        let room = match elements {
            ToFold::Here(_) => usize::MAX,
            ToFold::There(..) => usize::try_from(memory_bytes / (BLOCK * size_of::<T>()) as u64).unwrap_or(usize::MAX),
        };
        self.threads.min(room.max(1)).min(elements.len().div_ceil(BLOCK))
    }
}

/// The blocks of a range, the last of which may be short.
fn blocks_of(range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(BLOCK).map(move |at| at..end.min(at + BLOCK))
}

/// Does parts 0 to `parts` of a work, each on a thread of its own, the first on this one.
pub(super) fn on_threads(parts: usize, work: &(dyn Fn(usize) + Sync)) {
    if parts == 0 {
        return;
    }
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..parts).map(|part| scope.spawn(move || work(part))).collect();
        work(0);
        if let Some(panic) = others.into_iter().filter_map(|other| other.join().err()).next() {
            std::panic::resume_unwind(panic);
        }
    });
}

/// Blocks that are handed to a fold at once.
pub(super) const TOGETHER: usize = 64;

/// Appends the accumulator of each of these slices, whose first elements have these places, as one thread finds it.
pub(super) fn accumulate_all<'a, T: Element, F: Fold<T>>(
    fold: &F,
    slices: impl Iterator<Item = (&'a [T], u64)>,
    accs: &mut Vec<F::Acc>,
) {
    let mut blocks: Vec<(&[T], u64)> = Vec::new();
    let hand_over = |blocks: &mut Vec<(&'a [T], u64)>, accs: &mut Vec<F::Acc>| {
        fold.accumulate_blocks(blocks, accs);
        blocks.clear();
    };
    for (slice, at) in slices {
        if slice.len() > BLOCK || blocks.len() == TOGETHER {
            hand_over(&mut blocks, accs);
        }
        match slice.len() {
            0..=BLOCK => blocks.push((slice, at)),
            _ => accs.push(Cpu::with_threads(1).accumulate(fold, slice, at)),
        }
    }
    hand_over(&mut blocks, accs);
}
