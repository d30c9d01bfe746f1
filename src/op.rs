//! The operator contract: what an operator must say, in WGSL and in Rust, to be reduced with.

use crate::element::Element;
use crate::error::Result;
use crate::selftest::Trial;
use crate::shader::{self, Dialect, Module};

/// What a reduction carries from element to element: words that both the device and the host can hold.
///
/// Implemented for `u32`, `i32`, `f32`, for tuples of accumulators, and by [`accumulator!`](crate::accumulator)
/// for structs of those three.
pub trait Accumulator: Copy + Send + Sync + 'static {
    /// How many 32-bit words it takes on the device.
    const WORDS: usize;
    /// The declaration of `Acc` in WGSL.
    const WGSL: &'static str;
    /// The members of `Acc` in order; empty where `Acc` is a scalar.
    const MEMBERS: &'static [&'static str];
    /// Writes the words, `words.len() == WORDS`.
    fn write(&self, words: &mut [u32]);
    /// Reads the words back, `words.len() == WORDS`.
    fn read(words: &[u32]) -> Self;
    /// Whether the words hold all of it; some accumulators are wider on the host.
    #[doc(hidden)]
    fn fits(&self) -> bool {
        true
    }
}

macro_rules! scalar_accumulator {
    ($($type:ident $to:expr, $from:expr;)*) => {$(
        impl Accumulator for $type {
            const WORDS: usize = 1;
            const WGSL: &'static str = concat!("alias Acc = ", stringify!($type), ";");
            const MEMBERS: &'static [&'static str] = &[];
            fn write(&self, words: &mut [u32]) {
                words[0] = $to(*self);
            }
            fn read(words: &[u32]) -> Self {
                $from(words[0])
            }
        }
    )*};
}

scalar_accumulator! {
    u32 |x| x, |w| w;
    i32 |x| x as u32, |w| w as i32;
    f32 f32::to_bits, f32::from_bits;
}

/// Declares an accumulator: a struct of `u32`, `i32` and `f32` members, in Rust and in WGSL at once.
///
/// In WGSL the struct is called `Acc` and has the same members in the same order.
///
/// ```
/// treefold::accumulator! {
///     /// A sum and how many went into it.
///     pub struct Tally { sum: f32, count: u32 }
/// }
/// use treefold::Accumulator;
/// assert_eq!(Tally::WORDS, 2);
/// assert_eq!(Tally::WGSL, "struct Acc { sum: f32, count: u32, }");
/// ```
#[macro_export]
macro_rules! accumulator {
    ($(#[$doc:meta])* $vis:vis struct $name:ident { $($(#[$member_doc:meta])* $member:ident: $type:ident),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        $vis struct $name { $($(#[$member_doc])* pub $member: $type),+ }

        impl $crate::Accumulator for $name {
            const WORDS: usize = [$(stringify!($member)),+].len();
            const WGSL: &'static str =
                concat!("struct Acc { ", $(stringify!($member), ": ", stringify!($type), ", ",)+ "}");
            const MEMBERS: &'static [&'static str] = &[$(stringify!($member)),+];
            fn write(&self, words: &mut [u32]) {
                let mut words = words.iter_mut();
                $(if let Some(word) = words.next() {
                    <$type as $crate::Accumulator>::write(&self.$member, std::slice::from_mut(word));
                })+
            }
            fn read(words: &[u32]) -> Self {
                let mut words = words.iter();
                let mut next = || words.next().copied().unwrap_or_default();
                $(let $member = <$type as $crate::Accumulator>::read(&[next()]);)+
                $name { $($member),+ }
            }
        }
    };
}

/// An operator over elements of type `T`: how one element becomes an accumulator, how two accumulators become one,
/// and how the last one becomes the answer, in Rust and, line for line the same, in WGSL.
///
/// `combine` must be associative. Where it is also commutative (the default) the engine reorders freely; where
/// [`COMMUTATIVE`](Op::COMMUTATIVE) is false, accumulators are combined strictly from left to right.
///
/// The WGSL text of [`wgsl`](Op::wgsl) defines
///
/// | function | meaning |
/// |---|---|
/// | `fn identity() -> Acc` | combining with it changes nothing |
/// | `fn lift(bits: u32, index: u32) -> Acc` | one element, from its 32 bits; `index` counts within the dispatch |
/// | `fn combine(a: Acc, b: Acc) -> Acc` | `a` stands before `b` |
/// | `fn finish(acc: Acc, count: vec2<u32>) -> array<u32, N>` | the answer's words, N = [`ANSWER_WORDS`](Op::ANSWER_WORDS); `count` is the number of elements, (low, high) |
/// | `fn rebase(acc: Acc, base: vec2<u32>) -> Acc` | optional: adds the dispatch's place in the whole input to the indices that `acc` holds |
/// | `fn fold(acc: Acc, quad: vec4<u32>, index: u32) -> Acc` | optional: a faster way to take the 16 bytes of four neighbours |
///
/// (`bits` is a `vec2<u32>`, low word first, for elements of 64 bits) and may call `value`, `is_nan`, `is_zero`, `key`,
/// `unkey`, `tie` on the bits of a 32-bit element, and `add64`, `multiply32`,
/// `float64` on 64-bit numbers in two words. `Acc` is declared for it from [`Op::Acc`]. An operator without an answer on the device
/// (`ANSWER_WORDS == 0`) leaves `finish` out and serves `reduce`, not `record`.
pub trait Op<T: Element>: Clone + Send + Sync + 'static {
    /// What is carried from element to element.
    type Acc: Accumulator;
    /// What the host gets.
    type Output: Send + 'static;

    /// Whether `combine(a, b)` equals `combine(b, a)`.
    const COMMUTATIVE: bool = true;
    /// Words of the answer on the device, without the count word that follows them.
    const ANSWER_WORDS: usize;
    /// How many elements one accumulator on the device holds without overflow.
    const ELEMENTS_MAX: u64 = u64::MAX;

    /// What it computes, in a line for help texts.
    const ABOUT: &'static str = "";
    /// Whether the answer is the exact one, without rounding anywhere.
    const EXACT: bool = false;

    /// Whether accumulators hold places in the input, which count from its first element.
    #[doc(hidden)]
    const PLACES: bool = false;

    /// Whether it has several kernels, of which a self-test chooses.
    #[doc(hidden)]
    const TESTED: bool = false;

    /// The name in labels, errors and on the command line.
    fn name(&self) -> &'static str;
    /// The accumulator of no elements.
    fn identity(&self) -> Self::Acc;
    /// The accumulator of one element; `index` is its place in the whole input.
    fn lift(&self, x: T, index: u64) -> Self::Acc;
    /// The accumulator of `a`'s elements followed by `b`'s.
    fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc;
    /// The answer of `count` elements.
    ///
    /// # Errors
    /// Where the exact answer does not fit the output type.
    fn finish(&self, acc: Self::Acc, count: u64) -> Result<Self::Output>;
    /// The same in WGSL.
    fn wgsl(&self) -> String;

    /// Folds neighbours on the host; `index` is the place of the first. The default keeps eight accumulators side
    /// by side where order does not matter, so that the compiler may use vector instructions.
    #[inline(always)]
    fn fold(&self, elements: &[T], index: u64) -> Self::Acc {
        fold_in_lanes(self, elements, index)
    }

    /// The same accumulator, written in the one way in which equal results are equal.
    #[doc(hidden)]
    fn canonical(&self, acc: Self::Acc) -> Self::Acc {
        acc
    }

    /// Whether a kernel gets this operator right on a device.
    #[doc(hidden)]
    fn is_right(&self, trial: &Trial) -> Result<bool> {
        if Self::TESTED { trial.run::<T, Self>(self) } else { Ok(true) }
    }

    /// The operator's complete WGSL: declarations and defaults around [`Op::wgsl`]. Tuples and exact operators override it.
    #[doc(hidden)]
    fn module(&self, dialect: Dialect) -> Module {
        let text = shader::complete::<Self::Acc>(&self.wgsl(), T::DTYPE, dialect);
        Module { text, counters: 0, gathered: None, heavy: false, ends: false, combine_trips: 0, trips: 0 }
    }
}

const LANES: usize = 32;

#[inline(always)]
fn fold_in_lanes<T: Element, O: Op<T>>(op: &O, elements: &[T], index: u64) -> O::Acc {
    if !O::COMMUTATIVE {
        return fold_in_order(op, elements, index);
    }
    let mut lanes = [op.identity(); LANES];
    let rows = elements.chunks_exact(LANES);
    let rest = rows.remainder();
    for (r, row) in rows.enumerate() {
        let at = index + (r * LANES) as u64;
        for l in 0..LANES {
            lanes[l] = op.combine(lanes[l], op.lift(row[l], at + l as u64));
        }
    }
    let folded = lanes.into_iter().fold(op.identity(), |a, b| op.combine(a, b));
    op.combine(folded, fold_in_order(op, rest, index + (elements.len() - rest.len()) as u64))
}

#[inline(always)]
fn fold_in_order<T: Element, O: Op<T>>(op: &O, elements: &[T], index: u64) -> O::Acc {
    elements.iter().zip(index..).fold(op.identity(), |acc, (&x, i)| op.combine(acc, op.lift(x, i)))
}
