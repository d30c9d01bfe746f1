//! Several operators in one read of the data: a tuple of operators is an operator.
//!
//! ```
//! use treefold::{Cpu, ops::{Mean, MinMax}};
//! let (mean, ends) = Cpu::new().reduce((Mean, MinMax), &[1.0f32, 2.0, 6.0])?;
//! assert_eq!((mean, ends), (Some(3.0), Some((1.0, 6.0))));
//! # Ok::<(), treefold::Error>(())
//! ```

use crate::selftest::Trial;
use crate::shader::{self, Dialect, Module};
use crate::{Accumulator, Element, Op, Result};

/// The answer's words of a tuple: the members' one after another; none, where a member has none.
const fn answer_words(members: &[usize]) -> usize {
    let (mut sum, mut m) = (0, 0);
    while m < members.len() {
        if members[m] == 0 {
            return 0;
        }
        sum += members[m];
        m += 1;
    }
    sum
}

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

macro_rules! tuple {
    ($($op:ident $m:tt)+) => {
        impl<$($op: Accumulator),+> Accumulator for ($($op,)+) {
            const WORDS: usize = 0 $(+ $op::WORDS)+;
            const WGSL: &'static str = "";
            const MEMBERS: &'static [&'static str] = &[];
            fn write(&self, words: &mut [u32]) {
                let mut at = 0;
                $(at += $op::WORDS;
                self.$m.write(&mut words[at - $op::WORDS..at]);)+
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

        impl<T: Element, $($op: Op<T>),+> Op<T> for ($($op,)+) {
            type Acc = ($($op::Acc,)+);
            type Output = ($($op::Output,)+);
            const COMMUTATIVE: bool = true $(&& $op::COMMUTATIVE)+;
            const ANSWER_WORDS: usize = answer_words(&[$($op::ANSWER_WORDS),+]);
            const PLACES: bool = false $(|| $op::PLACES)+;
            const ELEMENTS_MAX: u64 = least(&[$($op::ELEMENTS_MAX),+]);

            fn name(&self) -> &'static str {
                "tuple"
            }
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
            fn finish(&self, acc: Self::Acc, count: u64) -> Result<Self::Output> {
                Ok(($(self.$m.finish(acc.$m, count)?,)+))
            }
            /// Nothing of its own; `module` puts the members' texts together.
            fn wgsl(&self) -> String {
                String::new()
            }
            fn canonical(&self, acc: Self::Acc) -> Self::Acc {
                ($(self.$m.canonical(acc.$m),)+)
            }
            fn is_right(&self, trial: &Trial) -> Result<bool> {
                Ok(true $(&& self.$m.is_right(trial)?)+)
            }
            fn module(&self, dialect: Dialect) -> Module {
                let members = [$((self.$m.module(dialect), $op::ANSWER_WORDS)),+];
                shader::compose(&members, Self::ANSWER_WORDS, dialect)
            }
            #[inline(always)]
            fn fold(&self, elements: &[T], index: u64) -> Self::Acc {
                let mut acc = self.identity();
                for (block, at) in elements.chunks(4096).zip((index..).step_by(4096)) {
                    acc = self.combine(acc, ($(self.$m.fold(block, at),)+));
                }
                acc
            }
        }
    };
}

tuple!(A 0 B 1);
tuple!(A 0 B 1 C 2);
tuple!(A 0 B 1 C 2 D 3);
tuple!(A 0 B 1 C 2 D 3 E 4);
tuple!(A 0 B 1 C 2 D 3 E 4 F 5);
