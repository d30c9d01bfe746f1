//! Common parts of operators over other elements than they read: those behind [`Widened`](super::Widened),
//! [`Mapped`](super::Mapped) and [`Filtered`](crate::ops::Filtered).

use super::{Fold, accumulate_block};
use crate::element::Element;

/// Elements that are made of others at once; of short slices, which have no use for more room.
const BLOCK: usize = 4096;
const SHORT: usize = 64;

/// The accumulator of neighbours, of which `make` makes what the fold is over, given them, the place of the first, and room for as many: it
/// says how many it has made.
#[inline(always)]
pub(super) fn accumulate_by_blocks<T, U: Element, F: Fold<U>>(
    fold: &F,
    elements: &[T],
    index: u64,
    make: impl Fn(&[T], u64, &mut [U]) -> usize,
) -> F::Acc {
    match elements.len() {
        0..=SHORT => by_blocks::<SHORT, T, U, F>(fold, elements, index, make),
        _ => by_blocks::<BLOCK, T, U, F>(fold, elements, index, make),
    }
}

#[inline(always)]
fn by_blocks<const B: usize, T, U: Element, F: Fold<U>>(
    fold: &F,
    elements: &[T],
    index: u64,
    make: impl Fn(&[T], u64, &mut [U]) -> usize,
) -> F::Acc {
    let mut made = [U::ZERO; B];
    let mut acc = fold.identity();
    for (block, at) in elements.chunks(B).zip((index..).step_by(B)) {
        let count = make(block, at, &mut made[..block.len()]);
        fold.merge(&mut acc, accumulate_block(fold, &made[..count], at));
    }
    acc
}

/// The items of [`Fold`] that know nothing of elements: those of `self.0`, an `F`.
macro_rules! fold_passed_on {
    () => {
        type Acc = F::Acc;
        const COMMUTATIVE: bool = F::COMMUTATIVE;
        const READS_POSITION: bool = F::READS_POSITION;
        const ELEMENTS_MAX: u64 = F::ELEMENTS_MAX;
        const HOST_ONLY: Option<&'static str> = F::HOST_ONLY;
        const TESTED: bool = F::TESTED;

        fn identity(&self) -> F::Acc {
            self.0.identity()
        }
        fn combine(&self, a: F::Acc, b: F::Acc) -> F::Acc {
            self.0.combine(a, b)
        }
        fn wgsl(&self) -> Wgsl {
            self.0.wgsl()
        }
        fn offset(&self, acc: F::Acc, by: u64) -> F::Acc {
            self.0.offset(acc, by)
        }
        fn merge(&self, acc: &mut F::Acc, other: F::Acc) {
            self.0.merge(acc, other);
        }
        fn is_commutative(&self) -> bool {
            self.0.is_commutative()
        }
        fn most_elements(&self) -> u64 {
            self.0.most_elements()
        }
        fn params(&self) -> Vec<u32> {
            self.0.params()
        }
        fn acc_words(&self) -> usize {
            self.0.acc_words()
        }
        fn acc_bytes(&self) -> usize {
            self.0.acc_bytes()
        }
        fn write_acc(&self, acc: &F::Acc, words: &mut [u32]) {
            self.0.write_acc(acc, words);
        }
        fn read_acc(&self, words: &[u32]) -> F::Acc {
            self.0.read_acc(words)
        }
        fn canonical(&self, acc: F::Acc) -> F::Acc {
            self.0.canonical(acc)
        }
        fn device(&self, keep: Keep) -> Device {
            self.0.device(keep)
        }
        fn device_over(&self, keep: Keep, read: crate::element::Dtype) -> Device {
            self.0.device_over(keep, read)
        }
        fn table(&self) -> Vec<u32> {
            self.0.table()
        }
    };
}

/// Methods of [`Op`](super::Op) that know nothing of elements, those of `self.0`.
macro_rules! op_passed_on {
    () => {
        fn name(&self) -> &'static str {
            self.0.name()
        }
        fn axes(&self) -> Vec<BinAxis> {
            self.0.axes()
        }
        fn answer(&self) -> Option<DeviceAnswer> {
            self.0.answer()
        }
        fn read(&self, words: &[u32], count: u64) -> Result<O::Output> {
            self.0.read(words, count)
        }
        fn answers(&self, leaf: usize, out: &mut Vec<(Range<usize>, Option<DeviceAnswer>)>) -> usize {
            self.0.answers(leaf, out)
        }
    };
}

pub(super) use {fold_passed_on, op_passed_on};
