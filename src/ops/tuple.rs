//! Several operators in one read of the data: a tuple of operators is an operator, and answers over one fold share it.
//!
//! ```
//! use treefold::{Cpu, ops::{Mean, MinMax, Sum}};
//! let (sum, mean, ends) = Cpu::new().reduce((Sum, Mean, MinMax), &[1.0f32, 2.0, 6.0])?;
//! assert_eq!((sum, mean, ends), (9.0, Some(3.0), Some((1.0, 6.0))));
//! # Ok::<(), treefold::Error>(())
//! ```

use crate::element::Columns;
use crate::op::{Answer, Keep, Leaf, Member, Part, READ_IN_TWO_WAYS, accumulate_block, answer_words, instance_of};
use crate::{Accumulator, DeviceAnswer, Dtype, Element, Fold, Op, Result, Wgsl};
use std::any::{Any, TypeId};
use std::ops::Range;

const fn least(members: &[u64]) -> u64 {
    let (mut least, mut m) = (u64::MAX, 0);
    while m < members.len() {
        if members[m] < least {
            least = members[m];
        }
        m += 1;
    }
    least
}

/// The first of these that there is.
const fn first(reasons: &[Option<&'static str>]) -> Option<&'static str> {
    let mut m = 0;
    while m < reasons.len() {
        if reasons[m].is_some() {
            return reasons[m];
        }
        m += 1;
    }
    None
}

/// The properties that folds must share to give one accumulator: type, kind, instance, parameters and table.
type Identity = (TypeId, String, u64, Vec<u32>, Vec<u32>);

fn identity_of<T: Element, F: Fold<T>>(fold: &F) -> Identity {
    (TypeId::of::<F>(), fold.kind(), fold.instance(), fold.params(), fold.table())
}

/// The number of the first of these that each one equals: its own, or that of one before it.
fn firsts<const N: usize>(identities: [Identity; N]) -> [usize; N] {
    std::array::from_fn(|m| identities.iter().position(|first| *first == identities[m]).unwrap_or(m))
}

/// Elements that the members of a tuple go through in turn, while the second cache has them.
const BLOCK: usize = 1 << 14;

/// The accumulator of a block; taken over where the fold of number `first` has given it before.
#[inline(always)]
fn shared<T: Element, F: Fold<T>>(
    fold: &F,
    first: usize,
    done: &mut Vec<Box<dyn Any>>,
    block: &[T],
    index: u64,
) -> F::Acc {
    let known = done.get(first).and_then(|acc| acc.downcast_ref::<F::Acc>());
    let acc = known.cloned().unwrap_or_else(|| accumulate_block(fold, block, index));
    done.push(Box::new(acc.clone()));
    acc
}

macro_rules! tuple {
    ($($op:ident $m:tt)+) => {
        impl<$($op: Accumulator),+> Accumulator for ($($op,)+) {
            const WORDS: usize = 0 $(+ $op::WORDS)+;
            const WGSL: &'static str = "";
            const MEMBERS: &'static [Member] = &[];
            fn write(&self, words: &mut [u32]) {
                let mut rest = words;
                $(let (now, later) = rest.split_at_mut($op::WORDS.min(rest.len()));
                self.$m.write(now);
                rest = later;)+
                let _ = rest;
            }
            fn fits(&self) -> bool {
                true $(&& self.$m.fits())+
            }
            fn read(words: &[u32]) -> Self {
                let mut at = 0;
                ($({
                    at += $op::WORDS;
                    $op::read(&words[at - $op::WORDS..at])
                },)+)
            }
        }

        impl<T: Element, $($op: Fold<T>),+> Fold<T> for ($($op,)+) {
            type Acc = ($($op::Acc,)+);
            const COMMUTATIVE: bool = true $(&& $op::COMMUTATIVE)+;
            const READS_POSITION: bool = false $(|| $op::READS_POSITION)+;
            const ELEMENTS_MAX: u64 = least(&[$($op::ELEMENTS_MAX),+]);
            const TESTED: bool = false $(|| $op::TESTED)+;
            const HOST_ONLY: Option<&'static str> = first(&[$($op::HOST_ONLY),+]);

            #[inline(always)]
            fn identity(&self) -> Self::Acc {
                ($(self.$m.identity(),)+)
            }
            #[inline(always)]
            fn lift(&self, x: T, index: u64) -> Self::Acc {
                ($(self.$m.lift(x, index),)+)
            }
            #[inline(always)]
            fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc {
                ($(self.$m.combine(a.$m, b.$m),)+)
            }
            #[inline(always)]
            fn accumulate(&self, elements: &[T], index: u64) -> Self::Acc {
                let firsts = firsts([$(identity_of::<T, $op>(&self.$m)),+]);
                let mut acc = self.identity();
                for (block, at) in elements.chunks(BLOCK).zip((index..).step_by(BLOCK)) {
                    let mut done = Vec::new();
                    acc = self.combine(acc, ($(shared::<T, $op>(&self.$m, firsts[$m], &mut done, block, at),)+));
                }
                acc
            }
            fn accumulate_columns(&self, columns: &Columns<'_, T>, index: u64, accs: &mut Vec<Self::Acc>) {
                let mut each = ($({
                    let mut found = Vec::with_capacity(columns.count());
                    self.$m.accumulate_columns(columns, index, &mut found);
                    found.into_iter()
                },)+);
                let next = |_| ($(each.$m.next().unwrap_or_else(|| self.$m.identity()),)+);
                accs.extend((0..columns.count()).map(next));
            }
            fn offset(&self, acc: Self::Acc, by: u64) -> Self::Acc {
                ($(self.$m.offset(acc.$m, by),)+)
            }
            /// Nothing of its own; its leaves have texts.
            fn wgsl(&self) -> Wgsl {
                Wgsl::new("", "", "")
            }
            fn kind(&self) -> String {
                [$(self.$m.kind()),+].join(",")
            }
            fn instance(&self) -> u64 {
                instance_of(&[$(self.$m.instance()),+])
            }
            fn params(&self) -> Vec<u32> {
                [$(self.$m.params()),+].concat()
            }
            fn table(&self) -> Vec<u32> {
                [$(self.$m.table()),+].concat()
            }
            fn is_commutative(&self) -> bool {
                true $(&& self.$m.is_commutative())+
            }
            fn needs_position(&self) -> bool {
                false $(|| self.$m.needs_position())+
            }
            fn host_only(&self) -> Option<&'static str> {
                let alike = [$(self.$m.reads()),+].iter().all(|&read| read == self.0.reads());
                first(&[$(self.$m.host_only(),)+ (!alike).then_some(READ_IN_TWO_WAYS)])
            }
            fn reads(&self) -> Dtype {
                self.0.reads()
            }
            fn is_heavy(&self) -> bool {
                false $(|| self.$m.is_heavy())+
            }
            fn most_elements(&self) -> u64 {
                least(&[$(self.$m.most_elements()),+])
            }
            #[inline]
            fn add(&self, acc: &mut Self::Acc, x: T, index: u64) {
                $(self.$m.add(&mut acc.$m, x, index);)+
            }
            #[inline]
            fn merge(&self, acc: &mut Self::Acc, other: Self::Acc) {
                $(self.$m.merge(&mut acc.$m, other.$m);)+
            }
            fn acc_bytes(&self) -> usize {
                0 $(+ self.$m.acc_bytes())+
            }
            fn acc_words(&self) -> usize {
                0 $(+ self.$m.acc_words())+
            }
            fn write_acc(&self, acc: &Self::Acc, words: &mut [u32]) {
                let mut at = 0;
                $(at += self.$m.acc_words();
                self.$m.write_acc(&acc.$m, &mut words[at - self.$m.acc_words()..at]);)+
            }
            fn read_acc(&self, words: &[u32]) -> Self::Acc {
                let mut at = 0;
                ($({
                    at += self.$m.acc_words();
                    self.$m.read_acc(&words[at - self.$m.acc_words()..at])
                },)+)
            }
            fn canonical(&self, acc: Self::Acc) -> Self::Acc {
                ($(self.$m.canonical(acc.$m),)+)
            }
            fn leaves(&self, keep: Keep, out: &mut Vec<Leaf>) {
                $(self.$m.leaves(keep, out);)+
            }
        }

        /// The parts of all, one answer after another.
        impl<$($op: Answer),+> Answer for ($($op,)+) {
            fn parts(&self) -> Vec<Part> {
                [$(self.$m.parts()),+].concat()
            }
        }

        impl<T: Element, $($op: Op<T>),+> Op<T> for ($($op,)+) {
            type Fold = ($($op::Fold,)+);
            type Output = ($($op::Output,)+);
            const NAME: &'static str = "tuple";
            const EXACT: bool = true $(&& $op::EXACT)+;

            fn is_exact(&self) -> bool {
                true $(&& self.$m.is_exact())+
            }
            fn is_shareable(&self) -> bool {
                true $(&& self.$m.is_shareable())+
            }
            fn signature(&self) -> String {
                format!("({})", [$(self.$m.signature()),+].join(","))
            }
            fn fold(&self) -> Self::Fold {
                ($(self.$m.fold(),)+)
            }
            fn finish(&self, acc: <Self::Fold as Fold<T>>::Acc, count: u64) -> Result<Self::Output> {
                Ok(($(self.$m.finish(acc.$m, count)?,)+))
            }
            /// Those of its members, one after another.
            fn answer(&self) -> Option<DeviceAnswer> {
                None
            }
            fn read(&self, words: &[u32], count: u64) -> Result<Self::Output> {
                let mut at = 0;
                Ok(($({
                    at += answer_words::<T, $op>(&self.$m).unwrap_or(0);
                    self.$m.read(&words[at - answer_words::<T, $op>(&self.$m).unwrap_or(0)..at], count)?
                },)+))
            }
            fn close(&self, device: &Self::Output, host: &Self::Output, elements: &[T], finished: bool) -> bool {
                true $(&& self.$m.close(&device.$m, &host.$m, elements, finished))+
            }
            fn answers(&self, leaf: usize, out: &mut Vec<(Range<usize>, Option<DeviceAnswer>)>) -> usize {
                let mut leaf = leaf;
                $(leaf = self.$m.answers(leaf, out);)+
                leaf
            }
        }
    };
}

tuple!(A 0 B 1);
tuple!(A 0 B 1 C 2);
tuple!(A 0 B 1 C 2 D 3);
tuple!(A 0 B 1 C 2 D 3 E 4);
tuple!(A 0 B 1 C 2 D 3 E 4 F 5);
