//! The operator contract: what an operator must say, in WGSL and in Rust, to be reduced with.

mod accumulator;
mod answer;
mod columns;
mod components;
mod device;
mod dyn_tuple;
mod dynamic;
#[cfg(not(target_arch = "wasm32"))]
mod expression;
mod mapped;
mod names;
mod partial;
mod ranks;
mod sifted;
mod through;
mod unroll;
mod wgsl;
mod widened;

pub use accumulator::{Accumulator, Member};
pub(crate) use accumulator::{LINES_MAX, join, split};
pub use answer::{Answer, BinAxis, Part, Value};
pub(crate) use columns::{by_rows, few_by_rows, gathered};
pub(crate) use components::number_of_each;
pub use components::{Components, ComponentsFold, NumberFold};
pub use device::{Bins, Device, DeviceOp, FoldGroup, FoldKey, Keep, Leaf};
pub use dyn_tuple::{DynTuple, DynTupleAcc, DynTupleFold};
pub use dynamic::{DynAcc, DynAnswer, DynFold, DynOp};
#[cfg(not(target_arch = "wasm32"))]
pub use expression::{Combining, Expression, Formula};
pub use mapped::{ByFunction, Map, Mapped, MappedFold};
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use names::unclosed;
pub(crate) use names::{OF_ELEMENTS, declared, prefixed, renamed, tokens};
pub(crate) use partial::Span;
pub use partial::{Header, Partial, Partials, title};
pub use ranks::Ranks;
pub use sifted::{Condition, SiftedFold, Test};
pub(crate) use unroll::unroll;
pub(crate) use wgsl::Cell;
pub use wgsl::{AnswerWord, DeviceAnswer, Text, Trips, Wgsl, WordType};
pub(crate) use widened::READ_IN_TWO_WAYS;
pub use widened::{Narrow, Widened};

use crate::element::{Columns, Dtype, Element};
use crate::error::{Error, Result};
use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

/// A value carried from element to element, and the way in which two become one, over elements of type `T`: in Rust and, line for
/// line the same, in WGSL. Several [`Op`]s may answer over one fold; they then share its reduction.
///
/// - **Associative**: `combine(combine(a, b), c)` equals `combine(a, combine(b, c))`, up to rounding.
/// - **Order**: where [`COMMUTATIVE`](Fold::COMMUTATIVE) (the default), accumulators are combined in any order; where it is
///   false, strictly from left to right.
/// - **Identity**: combining with it changes nothing.
/// - **Positions**: the `index` of `lift` is the element's place in the whole input; in rows, in its row.
/// - **Loops** are declared: see [`Trips`].
///
/// [`check`](crate::check) compares the two halves on a device.
pub trait Fold<T: Element>: Clone + Send + Sync + 'static {
    /// The value that is carried from element to element.
    type Acc: Accumulator;

    /// Whether `combine(a, b)` equals `combine(b, a)`.
    const COMMUTATIVE: bool = true;
    /// Whether `lift` uses its index for other than what [`Wgsl::offset`] moves.
    const READS_POSITION: bool = false;
    /// Elements that one accumulator on the device holds without overflow.
    const ELEMENTS_MAX: u64 = u64::MAX;
    /// Why there is no device half, where there is none: [`Cpu`](crate::Cpu) alone computes it. [`Fold::wgsl`] is asked for its index offset
    /// alone then, which says what merging does to positions.
    const HOST_ONLY: Option<&'static str> = None;

    /// The accumulator of no elements.
    fn identity(&self) -> Self::Acc;
    /// The accumulator of one element; `index` is its place in the whole input.
    fn lift(&self, x: T, index: u64) -> Self::Acc;
    /// The accumulator of `a`'s elements followed by `b`'s.
    fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc;
    /// The device half.
    fn wgsl(&self) -> Wgsl;

    /// Adds `by` to the positions that an accumulator holds; the host half of [`Wgsl::offset`].
    fn offset(&self, acc: Self::Acc, by: u64) -> Self::Acc {
        let _ = by;
        acc
    }

    /// The accumulator of neighbours on the host; `index` is the place of the first. The default keeps many accumulators
    /// side by side where order does not matter, so that the compiler may use vector instructions.
    #[inline(always)]
    fn accumulate(&self, elements: &[T], index: u64) -> Self::Acc {
        accumulate_in_lanes(self, elements, index)
    }

    /// The accumulator of `acc`'s elements followed by neighbours, of which it may tell that some need no look.
    #[doc(hidden)]
    fn accumulate_onto(&self, acc: Self::Acc, elements: &[T], index: u64) -> Self::Acc {
        self.combine(acc, accumulate_block(self, elements, index))
    }

    /// The accumulators of blocks, each with the place of its first element, behind those that there are.
    #[doc(hidden)]
    fn accumulate_blocks(&self, blocks: &[(&[T], u64)], accs: &mut Vec<Self::Acc>) {
        accs.extend(blocks.iter().map(|&(block, at)| match block {
            [] => self.identity(),
            _ => self.combine(self.identity(), accumulate_block(self, block, at)),
        }));
    }

    /// The accumulators of neighbouring columns, behind those that there are; `index` is the place of the first row.
    #[doc(hidden)]
    fn accumulate_columns(&self, columns: &Columns<'_, T>, index: u64, accs: &mut Vec<Self::Acc>) {
        columns::gathered(self, columns, index, accs);
    }

    /// Adds an element behind those of an accumulator.
    #[doc(hidden)]
    #[inline]
    fn add(&self, acc: &mut Self::Acc, x: T, index: u64) {
        self.merge(acc, self.lift(x, index));
    }

    /// Adds another accumulator's elements behind those of this one.
    #[doc(hidden)]
    #[inline]
    fn merge(&self, acc: &mut Self::Acc, other: Self::Acc) {
        let before = std::mem::replace(acc, self.identity());
        *acc = self.combine(before, other);
    }

    /// [`COMMUTATIVE`](Fold::COMMUTATIVE), of this value.
    #[doc(hidden)]
    fn is_commutative(&self) -> bool {
        Self::COMMUTATIVE
    }

    /// [`READS_POSITION`](Fold::READS_POSITION), of this value.
    #[doc(hidden)]
    fn needs_position(&self) -> bool {
        Self::READS_POSITION
    }

    /// [`HOST_ONLY`](Fold::HOST_ONLY), of this value.
    #[doc(hidden)]
    fn host_only(&self) -> Option<&'static str> {
        Self::HOST_ONLY
    }

    /// What finds it on devices in place of accumulators.
    #[doc(hidden)]
    fn ranks(&self) -> Option<Ranks> {
        None
    }

    /// Whether the host computes a function of each element, an `exp` or a `pow`, over which it sits many times as long as over reading it.
    #[doc(hidden)]
    fn is_heavy(&self) -> bool {
        false
    }

    /// [`ELEMENTS_MAX`](Fold::ELEMENTS_MAX), of this value.
    #[doc(hidden)]
    fn most_elements(&self) -> u64 {
        Self::ELEMENTS_MAX
    }

    /// Words that `param(i)` gives the device half. They travel with each record, so that another value is not another
    /// pipeline.
    fn params(&self) -> Vec<u32> {
        Vec::new()
    }

    /// All that the text of the device half depends on besides the type: folds of one type and kind share their pipelines.
    fn kind(&self) -> String {
        String::new()
    }

    /// A number that tells its host half from those of others of its type and kind; 0: nothing does.
    #[doc(hidden)]
    fn instance(&self) -> u64 {
        0
    }

    /// Words of an accumulator on the device.
    #[doc(hidden)]
    fn acc_words(&self) -> usize {
        Self::Acc::WORDS
    }

    /// Bytes of an accumulator on the host, about.
    #[doc(hidden)]
    fn acc_bytes(&self) -> usize {
        match Self::Acc::WORDS {
            0 => size_of::<Self::Acc>() + 8 * self.acc_words(),
            words => size_of::<Self::Acc>().max(4 * words),
        }
    }

    /// The words of an accumulator, `words.len() == acc_words()`.
    #[doc(hidden)]
    fn write_acc(&self, acc: &Self::Acc, words: &mut [u32]) {
        acc.write(words);
    }

    /// Reads them back.
    #[doc(hidden)]
    fn read_acc(&self, words: &[u32]) -> Self::Acc {
        Self::Acc::read(words)
    }

    /// Canonical form: equal results have equal words.
    #[doc(hidden)]
    fn canonical(&self, acc: Self::Acc) -> Self::Acc {
        acc
    }

    /// Whether it has a kernel that a self-test must pass.
    #[doc(hidden)]
    const TESTED: bool = false;

    /// The kernel of a fold that may keep its accumulator in several ways.
    #[doc(hidden)]
    fn device(&self, keep: Keep) -> Device {
        let _ = keep;
        Device::Value(self.wgsl())
    }

    /// The same, where the elements are read as wider ones: `read` is their own type.
    #[doc(hidden)]
    fn device_over(&self, keep: Keep, read: Dtype) -> Device {
        let _ = read;
        self.device(keep)
    }

    /// The type as which kernels read elements: their own, but for halves that are widened.
    #[doc(hidden)]
    fn reads(&self) -> Dtype {
        T::DTYPE
    }

    /// A read-only table that `table[i]` gives the device half; empty: none.
    #[doc(hidden)]
    fn table(&self) -> Vec<u32> {
        Vec::new()
    }

    /// The folds of a tuple, one after another; itself, where it is no tuple.
    #[doc(hidden)]
    fn leaves(&self, keep: Keep, out: &mut Vec<Leaf>) {
        out.push(Leaf::of::<T, Self>(self, keep));
    }
}

/// The accumulator of an operator.
pub type Acc<T, O> = <<O as Op<T>>::Fold as Fold<T>>::Acc;

/// An operator over elements of type `T`: a [`Fold`], and the answer that its last accumulator gives, on the host and, where
/// it has a [`DeviceAnswer`], on the device.
pub trait Op<T: Element>: Clone + Send + Sync + 'static {
    /// Its fold.
    type Fold: Fold<T>;
    /// The answer on the host.
    type Output: Debug + Send + 'static;

    /// The name in labels, errors and on the command line; that of a value is [`Op::name`].
    const NAME: &'static str;
    /// The description, a line for help texts.
    const ABOUT: &'static str = "";
    /// Whether the answer is the exact one, rounded once at most; that of a value is [`Op::is_exact`].
    const EXACT: bool = false;

    /// [`NAME`](Op::NAME), of this value: a [`DynOp`] tells it here.
    fn name(&self) -> &'static str {
        Self::NAME
    }

    /// [`EXACT`](Op::EXACT), of this value: a [`DynOp`] tells it here.
    fn is_exact(&self) -> bool {
        Self::EXACT
    }

    /// Whether its answer has the same bits in whatever order engines of any kind fold its elements, if it is commutative. What
    /// expressions and functions make of floats is not of that kind: engines differ in subnormals and NaN.
    #[doc(hidden)]
    fn is_shareable(&self) -> bool {
        self.is_exact()
    }

    /// Whether its answers are elements of the input, with their places or without, as extremes are.
    #[doc(hidden)]
    fn picks(&self) -> bool {
        false
    }

    /// The fold that it answers over.
    fn fold(&self) -> Self::Fold;
    /// The answer of `count` elements.
    ///
    /// # Errors
    /// An exact answer that does not fit the output type.
    fn finish(&self, acc: Acc<T, Self>, count: u64) -> Result<Self::Output>;

    /// The name with its parameters, `variance(ddof=1)`: what partials and errors call it.
    fn signature(&self) -> String {
        self.name().into()
    }

    /// The axes of the bins that an answer counts, the last one's bins next to each other; none, where it counts none.
    fn axes(&self) -> Vec<BinAxis> {
        Vec::new()
    }

    /// The answer on the device; `None`: it serves `reduce`, not `record`.
    fn answer(&self) -> Option<DeviceAnswer> {
        None
    }

    /// Reads a device answer of `count` elements back.
    ///
    /// # Errors
    /// [`Error::NoDeviceAnswer`] where there is none; what [`Op::finish`] says.
    fn read(&self, words: &[u32], count: u64) -> Result<Self::Output> {
        let _ = (words, count);
        Err(Error::NoDeviceAnswer { operator: self.name() })
    }

    /// Whether an answer of the device is as good as the host's, over these elements: equal (printed alike), unless the
    /// operator rounds. `finished`: the device has finished it too.
    fn close(&self, device: &Self::Output, host: &Self::Output, elements: &[T], finished: bool) -> bool {
        let _ = (elements, finished);
        format!("{device:?}") == format!("{host:?}")
    }

    /// The answers of a tuple, one after another, each with the numbers of its folds.
    #[doc(hidden)]
    fn answers(&self, leaf: usize, out: &mut Vec<(Range<usize>, Option<DeviceAnswer>)>) -> usize {
        let mut leaves = Vec::new();
        self.fold().leaves(Keep::Registers, &mut leaves);
        out.push((leaf..leaf + leaves.len(), self.answer()));
        leaf + leaves.len()
    }
}

/// The number of a fold that is made of several; 0 where all of theirs are 0. Their order counts: a sum or an exclusive or of two would be that
/// of two others.
pub(crate) fn instance_of(members: &[u64]) -> u64 {
    if members.iter().all(|&member| member == 0) {
        return 0;
    }
    let mut hasher = DefaultHasher::new();
    members.hash(&mut hasher);
    hasher.finish()
}

/// Words of a device answer; `None` where there is none.
pub(crate) fn answer_words<T: Element, O: Op<T>>(op: &O) -> Option<usize> {
    let mut answers = Vec::new();
    op.answers(0, &mut answers);
    answers.into_iter().map(|(_, answer)| answer.map(|answer| answer.words.len())).sum()
}

const LANES: usize = 32;

#[inline(always)]
fn accumulate_in_lanes<T: Element, F: Fold<T>>(fold: &F, elements: &[T], index: u64) -> F::Acc {
    if !fold.is_commutative() {
        return accumulate_in_order(fold, elements, index);
    }
    let mut lanes: [F::Acc; LANES] = std::array::from_fn(|_| fold.identity());
    let rows = elements.chunks_exact(LANES);
    let rest = rows.remainder();
    for (r, row) in rows.enumerate() {
        let at = index + (r * LANES) as u64;
        for l in 0..LANES {
            lanes[l] = fold.combine(lanes[l].clone(), fold.lift(row[l], at + l as u64));
        }
    }
    let all = lanes.into_iter().fold(fold.identity(), |a, b| fold.combine(a, b));
    fold.combine(all, accumulate_in_order(fold, rest, index + (elements.len() - rest.len()) as u64))
}

#[inline(always)]
fn accumulate_in_order<T: Element, F: Fold<T>>(fold: &F, elements: &[T], index: u64) -> F::Acc {
    elements.iter().zip(index..).fold(fold.identity(), |acc, (&x, i)| fold.combine(acc, fold.lift(x, i)))
}

/// Whether this processor has AVX2 and what came with it; every processor with BMI2 has BMI1 and POPCNT.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn has_vectors() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2") && is_x86_feature_detected!("lzcnt")
}

/// One block, with the widest vector instructions that this processor has and the compiler can use.
pub(crate) fn accumulate_block<T: Element, F: Fold<T>>(fold: &F, block: &[T], index: u64) -> F::Acc {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn accumulate_avx2<T: Element, F: Fold<T>>(fold: &F, block: &[T], index: u64) -> F::Acc {
            fold.accumulate(block, index)
        }
        if has_vectors() {
            // SAFETY: the processor has what the function was compiled for.
            return unsafe { accumulate_avx2(fold, block, index) };
        }
    }
    fold.accumulate(block, index)
}
