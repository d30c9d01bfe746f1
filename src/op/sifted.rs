//! Folds of those elements only that pass a test: the others leave an accumulator as it is.

use super::device::{ElementTest, Leaf};
use super::mapped::{ByFunction, is_taken};
use super::through::{accumulate_by_blocks, fold_passed_on};
use super::widened::READ_IN_TWO_WAYS;
use super::{Device, Fold, Keep, Text, Wgsl, accumulate_block, instance_of};
use crate::element::Element;

/// A condition on the elements that count: [`Filtered`](crate::ops::Filtered) has one.
pub trait Condition<T: Element>: Clone + Send + Sync + 'static {
    /// It, for elements of this type.
    type Test: Test<T>;
    /// Makes it ready.
    fn test(&self) -> Self::Test;
    /// Its text in the operator's signature.
    fn title(&self) -> String;
}

/// Whether an element counts, in Rust and in WGSL.
pub trait Test<T: Element>: Clone + Send + Sync + 'static {
    /// Whether it does.
    fn passes(&self, x: T) -> bool;
    /// The body of `fn keep_element(x: X) -> bool`, in WGSL; with [`Test::READS_BITS`], of `fn keep_element(bits: Bits) -> bool`.
    fn wgsl(&self) -> Text;

    /// Whether the WGSL asks for the bits of the element, of any type: `is_nan`, `key` and `tie` take them.
    const READS_BITS: bool = false;

    /// Whether the text is the library's own: its loops end, and every NaN is as good as any other to it.
    #[doc(hidden)]
    const OWN: bool = false;

    /// An upper bound of the loop trips of the WGSL.
    fn trips(&self) -> u64 {
        0
    }
    /// A number that tells it from others whose WGSL is the same and whose host halves may differ; 0: nothing does.
    fn instance(&self) -> u64 {
        0
    }
}

impl<T: Element, F: Fn(T) -> bool + Clone + Send + Sync + 'static> Condition<T> for ByFunction<F> {
    type Test = Self;
    fn test(&self) -> Self {
        self.clone()
    }
    fn title(&self) -> String {
        super::mapped::title(&self.wgsl)
    }
}

impl<T: Element, F: Fn(T) -> bool + Clone + Send + Sync + 'static> Test<T> for ByFunction<F> {
    #[inline(always)]
    fn passes(&self, x: T) -> bool {
        (self.host)(x)
    }
    fn wgsl(&self) -> Text {
        self.wgsl.clone()
    }
    fn trips(&self) -> u64 {
        self.trips
    }
    fn instance(&self) -> u64 {
        self.instance
    }
}

/// A fold over those elements only that pass a test.
#[derive(Clone, Debug)]
pub struct SiftedFold<P, F>(F, P, bool);

impl<P, F> SiftedFold<P, F> {
    /// Of this one, by that test.
    pub(crate) fn new<T: Element>(fold: F, test: P) -> Self
    where
        F: Fold<T>,
    {
        let mut leaves = Vec::new();
        if fold.host_only().is_none() {
            fold.leaves(Keep::Registers, &mut leaves);
        }
        let placed = leaves.is_empty() || leaves.iter().any(Leaf::has_positions);
        SiftedFold(fold, test, placed)
    }
}

/// Neighbours that are added one by one.
const FEW: usize = 8;

impl<P, F> SiftedFold<P, F> {
    /// The accumulator of those of neighbours that pass, each in its place.
    fn accumulate_in_places<T: Element>(&self, elements: &[T], index: u64) -> F::Acc
    where
        F: Fold<T>,
        P: Test<T>,
    {
        let mut acc = self.0.identity();
        let mut begin = 0;
        for run in elements.chunk_by(|&a, &b| self.1.passes(a) == self.1.passes(b)) {
            let at = index + begin as u64;
            begin += run.len();
            match run {
                [x, ..] if !self.1.passes(*x) => {}
                [_, ..] if run.len() > FEW => self.0.merge(&mut acc, accumulate_block(&self.0, run, at)),
                few => few.iter().zip(at..).for_each(|(&x, at)| self.0.add(&mut acc, x, at)),
            }
        }
        acc
    }
}

impl<T: Element, P: Test<T>, F: Fold<T>> Fold<T> for SiftedFold<P, F> {
    fn lift(&self, x: T, index: u64) -> F::Acc {
        if self.1.passes(x) { self.0.lift(x, index) } else { self.0.identity() }
    }
    fn accumulate(&self, elements: &[T], index: u64) -> F::Acc {
        // In memory they stand one behind another, where no place shows.
        if self.2 {
            return self.accumulate_in_places(elements, index);
        }
        accumulate_by_blocks(&self.0, elements, index, |from, _, to| {
            let mut passed = 0;
            for &x in from {
                to[passed] = x;
                passed += usize::from(self.1.passes(x));
            }
            passed
        })
    }
    fn add(&self, acc: &mut F::Acc, x: T, index: u64) {
        if self.1.passes(x) {
            self.0.add(acc, x, index);
        }
    }
    fn needs_position(&self) -> bool {
        self.0.needs_position()
    }
    fn is_heavy(&self) -> bool {
        self.0.is_heavy()
    }
    fn host_only(&self) -> Option<&'static str> {
        let mut leaves = Vec::new();
        match self.0.host_only() {
            Some(why) => return Some(why),
            None if self.0.reads() != T::DTYPE => return Some(READ_IN_TWO_WAYS),
            None if !P::READS_BITS && !is_taken(T::DTYPE) => {
                return Some("conditions in WGSL take numbers of 32 bits");
            }
            None => self.0.leaves(Keep::Registers, &mut leaves),
        }
        let sifted = leaves.iter().any(|leaf| leaf.test.is_some());
        sifted.then_some("a condition on what passes another has no WGSL; make one condition of both")
    }
    fn kind(&self) -> String {
        format!("{} where {}", self.0.kind(), self.1.wgsl())
    }
    fn instance(&self) -> u64 {
        instance_of(&[self.0.instance(), self.1.instance()])
    }
    fold_passed_on! {}
    /// Those of all elements, told which pass.
    fn leaves(&self, keep: Keep, out: &mut Vec<Leaf>) {
        let first = out.len();
        self.0.leaves(keep, out);
        for leaf in &mut out[first..] {
            leaf.sift(|kind| ElementTest {
                of: T::DTYPE,
                body: self.1.wgsl(),
                reads_bits: P::READS_BITS,
                own: P::OWN,
                trips: self.1.trips(),
                kind,
            });
        }
    }
}
