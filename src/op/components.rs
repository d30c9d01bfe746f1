//! Operators over each of the numbers of vectors, in one read of them.

use super::device::Leaf;
use super::mapped::{Map, MappedFold};
use super::{Accumulator, Answer, DeviceAnswer, Fold, Keep, Member, Op, Part, Text, Wgsl, accumulate_block};
use crate::element::{Element, Vector};
use crate::error::{Error, Result};
use std::marker::PhantomData;
use std::ops::Range;

/// An operator over each of the numbers of [vectors](Vector): `K` answers, the first of all first numbers, and so on.
///
/// It is what the operator over the numbers is, `K` times, but for the elements, which are read once: exact where that is, with the same bits on
/// every engine; in rows, segments, groups and tuples; on the device its words `K` times, one answer behind another. A position is a vector's.
///
/// ```
/// use treefold::{Components, Cpu, ops::{ArgMax, Found, Mean, MinMax, Sum}};
/// let cpu = Cpu::new();
/// let positions = [[1.0f32, 0.0, 4.0], [3.0, 2.0, -4.0]];
/// assert_eq!(cpu.reduce(Components(Mean), &positions)?, [Some(2.0), Some(1.0), Some(0.0)]);
/// let (ends, _) = cpu.reduce((Components(MinMax), Components(Sum)), &positions)?;
/// assert_eq!(ends, [Some((1.0, 3.0)), Some((0.0, 2.0)), Some((-4.0, 4.0))]);
/// let last = cpu.reduce(Components(ArgMax), &[[7i32, 1], [5, 2]])?;
/// assert_eq!(last.map(|found| found.map(|Found { index, .. }| index)), [Some(0), Some(1)]);
/// # Ok::<(), treefold::Error>(())
/// ```
///
/// Vectors that are no elements, of f16 three packed in 6 bytes say, are an array over its first axis: `Input::over` of
/// `Axes::of(&[n, 3], &[0])`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Components<O, const K: usize>(pub O);

/// The fold behind [`Components`].
#[derive(Clone, Copy, Debug, Default)]
pub struct ComponentsFold<F, const K: usize>(F);

/// The number at a place of each vector.
pub struct NumberAt<V, const K: usize>(usize, PhantomData<fn(V)>);

impl<V, const K: usize> Clone for NumberAt<V, K> {
    fn clone(&self) -> Self {
        NumberAt(self.0, PhantomData)
    }
}

impl<const K: usize, V: Vector<K>> Map<V> for NumberAt<V, K> {
    type To = V::Number;

    /// Of the words that hold the number, its own.
    fn wgsl(&self) -> Text {
        let (number, words) = (size_of::<V::Number>(), size_of::<V>() / 4);
        let first = self.0 * number / 4;
        let word = |at: usize| match words {
            1 => "bits".to_string(),
            _ => format!("bits.{}", ["x", "y", "z", "w"].get(at).unwrap_or(&"x")),
        };
        match number {
            2 if self.0.is_multiple_of(2) => format!("return {} & 0xffffu;", word(first)),
            2 => format!("return {} >> 16u;", word(first)),
            8 => format!("return vec2<u32>({}, {});", word(first), word(first + 1)),
            _ => format!("return {};", word(first)),
        }
        .into()
    }
    #[inline(always)]
    fn map(&self, x: V, _: u64) -> V::Number {
        x.numbers().get(self.0).copied().unwrap_or(V::Number::ZERO)
    }
    fn reads_bits(&self) -> bool {
        true
    }
    fn is_exact(&self) -> bool {
        true
    }
}

/// A fold of the numbers at one place of vectors.
pub type NumberFold<V, const K: usize, F> = MappedFold<NumberAt<V, K>, F>;

/// The fold of the numbers at that place.
pub(crate) fn number_of_each<V: Vector<K>, const K: usize, F: Fold<V::Number>>(
    place: usize,
    fold: F,
) -> NumberFold<V, K, F> {
    MappedFold::new(fold, NumberAt(place, PhantomData))
}

impl<F, const K: usize> ComponentsFold<F, K> {
    /// That fold over each of the numbers.
    pub(crate) fn of(fold: F) -> Self {
        ComponentsFold(fold)
    }

    /// The fold of the numbers at one place.
    fn at<V: Vector<K>>(&self, place: usize) -> NumberFold<V, K, F>
    where
        F: Fold<V::Number>,
    {
        number_of_each(place, self.0.clone())
    }
}

/// The results of all numbers; the first error, where there is one.
fn all<R, const K: usize>(results: impl Iterator<Item = Result<R>>) -> Result<[R; K]> {
    let found: Vec<R> = results.collect::<Result<_>>()?;
    found.try_into().map_err(|found: Vec<R>| Error::Unequal { left: K as u64, right: found.len() as u64 })
}

/// Vectors that are taken apart at once.
const BLOCK: usize = 2048;

impl<A: Accumulator, const K: usize> Accumulator for [A; K] {
    const WORDS: usize = A::WORDS * K;
    const WGSL: &'static str = "";
    const MEMBERS: &'static [Member] = &[];
    fn write(&self, words: &mut [u32]) {
        self.iter().zip(words.chunks_mut(A::WORDS.max(1))).for_each(|(acc, words)| acc.write(words));
    }
    fn read(words: &[u32]) -> Self {
        std::array::from_fn(|at| A::read(&words[at * A::WORDS..(at + 1) * A::WORDS]))
    }
    fn fits(&self) -> bool {
        self.iter().all(Accumulator::fits)
    }
}

impl<const K: usize, V: Vector<K>, F: Fold<V::Number>> Fold<V> for ComponentsFold<F, K> {
    type Acc = [F::Acc; K];
    const COMMUTATIVE: bool = F::COMMUTATIVE;
    const READS_POSITION: bool = F::READS_POSITION;
    const ELEMENTS_MAX: u64 = F::ELEMENTS_MAX;
    const HOST_ONLY: Option<&'static str> = F::HOST_ONLY;
    const TESTED: bool = F::TESTED;

    fn identity(&self) -> Self::Acc {
        std::array::from_fn(|_| self.0.identity())
    }
    fn lift(&self, x: V, index: u64) -> Self::Acc {
        x.numbers().map(|number| self.0.lift(number, index))
    }
    fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc {
        let mut a = a;
        Fold::<V>::merge(self, &mut a, b);
        a
    }
    fn accumulate(&self, elements: &[V], index: u64) -> Self::Acc {
        let mut acc = Fold::<V>::identity(self);
        let mut numbers = vec![V::Number::ZERO; elements.len().min(BLOCK)];
        for (block, at) in elements.chunks(BLOCK).zip((index..).step_by(BLOCK)) {
            for (place, acc) in acc.iter_mut().enumerate() {
                for (number, x) in numbers.iter_mut().zip(block) {
                    *number = x.numbers()[place];
                }
                self.0.merge(acc, accumulate_block(&self.0, &numbers[..block.len()], at));
            }
        }
        acc
    }
    /// Nothing of its own; its leaves have texts. But what merging does to positions is the numbers'.
    fn wgsl(&self) -> Wgsl {
        self.0.wgsl()
    }
    fn offset(&self, acc: Self::Acc, by: u64) -> Self::Acc {
        acc.map(|acc| self.0.offset(acc, by))
    }
    fn add(&self, acc: &mut Self::Acc, x: V, index: u64) {
        acc.iter_mut().zip(x.numbers()).for_each(|(acc, number)| self.0.add(acc, number, index));
    }
    fn merge(&self, acc: &mut Self::Acc, other: Self::Acc) {
        acc.iter_mut().zip(other).for_each(|(acc, other)| self.0.merge(acc, other));
    }
    fn is_commutative(&self) -> bool {
        self.0.is_commutative()
    }
    fn needs_position(&self) -> bool {
        self.0.needs_position()
    }
    fn host_only(&self) -> Option<&'static str> {
        self.at::<V>(0).host_only()
    }
    fn is_heavy(&self) -> bool {
        self.0.is_heavy()
    }
    fn most_elements(&self) -> u64 {
        self.0.most_elements()
    }
    fn params(&self) -> Vec<u32> {
        self.0.params()
    }
    fn table(&self) -> Vec<u32> {
        self.0.table()
    }
    fn kind(&self) -> String {
        format!("{} of each", self.0.kind())
    }
    fn instance(&self) -> u64 {
        self.0.instance()
    }
    fn acc_words(&self) -> usize {
        K * self.0.acc_words()
    }
    fn acc_bytes(&self) -> usize {
        K * self.0.acc_bytes()
    }
    fn write_acc(&self, acc: &Self::Acc, words: &mut [u32]) {
        acc.iter()
            .zip(words.chunks_mut(self.0.acc_words().max(1)))
            .for_each(|(acc, words)| self.0.write_acc(acc, words));
    }
    fn read_acc(&self, words: &[u32]) -> Self::Acc {
        let each = self.0.acc_words();
        std::array::from_fn(|at| self.0.read_acc(&words[at * each..(at + 1) * each]))
    }
    fn canonical(&self, acc: Self::Acc) -> Self::Acc {
        acc.map(|acc| self.0.canonical(acc))
    }
    fn leaves(&self, keep: Keep, out: &mut Vec<Leaf>) {
        (0..K).for_each(|place| self.at::<V>(place).leaves(keep, out));
    }
}

/// The parts of all, one answer after another.
impl<A: Answer, const K: usize> Answer for [A; K] {
    fn parts(&self) -> Vec<Part> {
        self.iter().flat_map(Answer::parts).collect()
    }
}

impl<const K: usize, V: Vector<K>, O: Op<V::Number>> Op<V> for Components<O, K> {
    type Fold = ComponentsFold<O::Fold, K>;
    type Output = [O::Output; K];
    const NAME: &'static str = O::NAME;
    const ABOUT: &'static str = O::ABOUT;
    const EXACT: bool = O::EXACT;

    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn is_exact(&self) -> bool {
        self.0.is_exact()
    }
    fn is_shareable(&self) -> bool {
        self.0.is_shareable()
    }
    fn fold(&self) -> Self::Fold {
        ComponentsFold(self.0.fold())
    }
    fn finish(&self, acc: super::Acc<V, Self>, count: u64) -> Result<Self::Output> {
        all(acc.into_iter().map(|acc| self.0.finish(acc, count)))
    }
    /// The operator's, and that it is of each number: `mean of each`.
    fn signature(&self) -> String {
        format!("{} of each", self.0.signature())
    }
    /// Those of the numbers, one after another.
    fn answer(&self) -> Option<DeviceAnswer> {
        None
    }
    fn read(&self, words: &[u32], count: u64) -> Result<Self::Output> {
        let each = words.len() / K.max(1);
        all((0..K).map(|at| self.0.read(&words[at * each..(at + 1) * each], count)))
    }
    fn close(&self, device: &Self::Output, host: &Self::Output, elements: &[V], finished: bool) -> bool {
        let close = |(place, (device, host)): (usize, (&O::Output, &O::Output))| {
            let numbers: Vec<V::Number> = elements.iter().map(|x| x.numbers()[place]).collect();
            self.0.close(device, host, &numbers, finished)
        };
        device.iter().zip(host).enumerate().all(close)
    }
    fn answers(&self, leaf: usize, out: &mut Vec<(Range<usize>, Option<DeviceAnswer>)>) -> usize {
        (0..K).fold(leaf, |leaf, _| self.0.answers(leaf, out))
    }
}
