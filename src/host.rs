//! The CPU engine: the operators' Rust twins on all cores, and the reference that the kernels are tested against.

use crate::element::Element;
use crate::error::Result;
use crate::op::Op;
use crate::partial::Partial;
use std::num::NonZero;

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
const BLOCK: usize = 1 << 16;

impl Cpu {
    /// With as many threads as this process may run at once.
    pub fn new() -> Cpu {
        Cpu::with_threads(std::thread::available_parallelism().map_or(1, NonZero::get))
    }

    /// With so many threads; 0 counts as 1.
    pub fn with_threads(threads: usize) -> Cpu {
        Cpu { threads: threads.max(1) }
    }

    /// How many threads it uses.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// The answer of `op` over `elements`.
    ///
    /// # Errors
    /// What [`Op::finish`] says: an integer result that does not fit.
    pub fn reduce<T: Element, O: Op<T>>(&self, op: O, elements: &[T]) -> Result<O::Output> {
        op.finish(self.fold(&op, elements, 0), elements.len() as u64)
    }

    /// The accumulator of `elements`, to be merged and finished elsewhere.
    pub fn partial<T: Element, O: Op<T>>(&self, op: O, elements: &[T]) -> Partial<T, O> {
        let acc = self.fold(&op, elements, 0);
        Partial::of(op, acc, elements.len() as u64)
    }

    /// The accumulator of `elements`, of which the first has this index in the whole input.
    pub(crate) fn fold<T: Element, O: Op<T>>(&self, op: &O, elements: &[T], index: u64) -> O::Acc {
        let blocks = elements.len().div_ceil(BLOCK);
        let share = blocks.div_ceil(self.threads).max(1);
        let mut folded = vec![op.identity(); blocks];
        let work = |out: &mut [O::Acc], part: &[T], at: u64| {
            for ((acc, block), at) in out.iter_mut().zip(part.chunks(BLOCK)).zip((at..).step_by(BLOCK)) {
                *acc = fold_block(op, block, at);
            }
        };
        std::thread::scope(|scope| {
            let work = &work;
            let mut parts =
                folded.chunks_mut(share).zip(elements.chunks(share * BLOCK)).zip((index..).step_by(share * BLOCK));
            let mine = parts.next();
            for ((out, part), at) in parts {
                scope.spawn(move || work(out, part, at));
            }
            if let Some(((out, part), at)) = mine {
                work(out, part, at);
            }
        });
        folded.into_iter().fold(op.identity(), |a, b| op.combine(a, b))
    }
}

/// One block, with the widest vector instructions that this processor has and the compiler can use.
fn fold_block<T: Element, O: Op<T>>(op: &O, block: &[T], index: u64) -> O::Acc {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn fold_avx2<T: Element, O: Op<T>>(op: &O, block: &[T], index: u64) -> O::Acc {
            op.fold(block, index)
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2") && is_x86_feature_detected!("lzcnt") {
            // SAFETY: the processor has what the function was compiled for; every processor with BMI2 has BMI1 and POPCNT.
            return unsafe { fold_avx2(op, block, index) };
        }
    }
    op.fold(block, index)
}
