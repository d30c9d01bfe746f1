//! The largest and the smallest elements, several of them, and where they stand.
//!
//! The order is that of [`ArgMax`](super::ArgMax) and [`ArgMin`](super::ArgMin): the lowest rank comes first, of equal ranks the lowest index. On the
//! host a block is read once for the lowest rank of each few neighbours; only neighbours whose lowest is among the k lowest of these can
//! hold one of the k best, so only they are looked at again.

use super::Rule;
use super::doubles::no_wgsl;
use super::Located;
use super::extreme::{End, element_of};
use crate::element::{OrderKey, Scalar};
use crate::op::{Member, Ranks, accumulate_block, join};
use crate::{Accumulator, Answer, Error, Fold, Op, Part, Result, Value, Wgsl};
use std::str::FromStr;

/// Why no device computes it as it does other operators.
const TOO_LONG: &str = "a list of elements is too long for the accumulator of an invocation (a treefold::Ranker finds one of f16, 32 and 64 bits, of whole inputs, rows, axes and segments, and so do streams of it alone)";

/// Elements of a list, at most.
const MOST: u32 = 1024;

/// Number of elements that are wanted: 1 to 1024.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Length(u32);

impl Length {
    /// # Errors
    /// [`Error::BadOption`].
    fn new(operator: &'static str, k: u32) -> Result<Length> {
        let refused = || {
            let (option, value, rule) = ("k".into(), k.to_string(), Length::RULE.into());
            Error::BadOption { operator: operator.into(), option, value, rule }
        };
        (1..=MOST).contains(&k).then_some(Length(k)).ok_or_else(refused)
    }
}

impl Rule for Length {
    const RULE: &'static str = "a whole number from 1 to 1024";
}

impl FromStr for Length {
    type Err = ();

    fn from_str(text: &str) -> std::result::Result<Self, ()> {
        text.parse().map_err(drop).and_then(|k| Length::new("", k).map_err(drop))
    }
}

/// Elements in order, the best one first, and the index of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranked<T> {
    /// The elements; a NaN is the canonical one, a zero keeps its sign.
    pub values: Vec<T>,
    /// The place of each in the whole input, counted from 0.
    pub indices: Vec<u64>,
}

impl<T: Scalar> Ranked<T> {
    /// From words of a device: `k` elements, then as many indices, of which so many are there.
    pub(crate) fn of_words(words: &[u32], k: u32, found: u32) -> Ranked<T> {
        let (values, indices) = words.split_at((k as usize * T::Key::WORDS).min(words.len()));
        Ranked {
            values: values.chunks(T::Key::WORDS).take(found as usize).map(element_of).collect(),
            indices: indices.chunks(2).take(found as usize).map(join).collect(),
        }
    }
}

impl<T: Copy + Into<Value>> Answer for Ranked<T> {
    fn parts(&self) -> Vec<Part> {
        let both = self.values.iter().zip(&self.indices);
        both.map(|(&value, &index)| Part { name: "value", value: value.into(), index: Some(index) }).collect()
    }
}

/// The best elements so far, in any order.
#[derive(Clone, Debug)]
pub struct Leaders<K> {
    kept: Vec<Located<K>>,
    /// One that so many are better than, or equal to, as are wanted.
    bound: Located<K>,
}

impl<K: OrderKey> Accumulator for Leaders<K> {
    const WORDS: usize = 0;
    const WGSL: &'static str = "";
    const MEMBERS: &'static [Member] = &[];
    fn write(&self, words: &mut [u32]) {
        let all = self.kept.iter().copied().chain(std::iter::repeat(Located::NOWHERE));
        words.chunks_exact_mut(Located::<K>::WORDS).zip(all).for_each(|(words, located)| located.write(words));
    }
    fn read(words: &[u32]) -> Self {
        let all = words.chunks_exact(Located::<K>::WORDS).map(Located::read);
        Leaders { kept: all.filter(|&located| located != Located::NOWHERE).collect(), ..Self::NONE }
    }
}

impl<K: OrderKey> Leaders<K> {
    const NONE: Leaders<K> = Leaders { kept: Vec::new(), bound: Located::NOWHERE };

    /// Number of elements that are kept until the best of them are chosen.
    fn room(k: usize) -> usize {
        (2 * k).max(32)
    }

    /// Leaves the k best.
    fn choose<T: Scalar<Key = K>>(&mut self, k: usize) {
        if self.kept.len() >= k {
            self.bound = *self.kept.select_nth_unstable_by_key(k - 1, |located| located.order::<T>()).1;
            self.kept.truncate(k);
        }
    }

    #[inline(always)]
    fn add<T: Scalar<Key = K>>(&mut self, located: Located<K>, k: usize) {
        if located.order::<T>() < self.bound.order::<T>() {
            self.kept.push(located);
            if self.kept.len() >= Self::room(k) {
                self.choose::<T>(k);
            }
        }
    }

    /// The k best, in their order.
    fn ordered<T: Scalar<Key = K>>(mut self, k: usize) -> Leaders<K> {
        self.choose::<T>(k);
        self.kept.sort_unstable_by_key(|located| located.order::<T>());
        self
    }

    /// Takes a block whose elements stand behind all that are kept; `N` neighbours are passed over at a time.
    #[inline(always)]
    fn take<T: Scalar<Key = K>, const N: usize>(&mut self, end: End, block: &[T], index: u64, k: usize, most: K) {
        let lowest = |chunk: &[T]| chunk.iter().fold(K::MOST, |rank, &x| rank.min(T::tie(end.rank(x))));
        let whole = block.chunks_exact(N);
        let rest = lowest(whole.remainder());
        let ranks: Vec<K> = whole.map(lowest).chain([rest]).collect();
        let mut most = most;
        let looked_at = |most: K| block.chunks(N).zip(&ranks).filter(move |&(_, &rank)| rank <= most).map(|(chunk, _)| chunk);
        if ranks.len() > k {
            // As many elements as are wanted are no worse than this.
            most = most.min(*ranks.clone().select_nth_unstable(k - 1).1);
            // Nor than that, which more are worse than. Of many equal ones few are kept in any case.
            if (k / 2..=k + k / 2).contains(&looked_at(most).count()) {
                let all = looked_at(most).flatten().map(|&x| T::tie(end.rank(x)));
                let mut all: Vec<K> = all.filter(|&rank| rank <= most).collect();
                if all.len() > k {
                    most = *all.select_nth_unstable(k - 1).1;
                }
            }
        }
        for ((chunk, &rank), at) in block.chunks(N).zip(&ranks).zip((index..).step_by(N)) {
            if rank > most || (rank, at) >= self.bound.order::<T>() {
                continue;
            }
            for (&x, at) in chunk.iter().zip(at..) {
                let located = Located::new(end, x, at);
                if located.order::<T>().0 <= most {
                    self.add::<T>(located, k);
                }
            }
        }
    }
}

/// Elements of a block that is read, and read again in part while it is near.
const BLOCK: usize = 1 << 16;

/// The fold of both: so many elements from the one end of the order or from the other.
#[derive(Clone, Copy, Debug)]
pub struct Ranking<const HIGH: bool> {
    k: u32,
    /// The rank of elements that are taken, at most.
    most: u64,
}

impl<const HIGH: bool> Ranking<HIGH> {
    const END: End = if HIGH { End::High } else { End::Low };

    /// What a tournament is told.
    #[doc(hidden)]
    pub fn listed<T: Scalar>(&self) -> Ranks {
        let (wgsl, accumulator) = (Self::END.wgsl::<T>(""), Self::of_tournament::<T>);
        Ranks { wanted: self.k, words: T::Key::WORDS, wgsl, accumulator }
    }

    /// The words of an accumulator from what a tournament has left.
    fn of_tournament<T: Scalar>(k: u32, left: &[u32], first: u64) -> Vec<u32> {
        let (&found, words) = left.split_last().unwrap_or((&0, &[]));
        let Ranked { values, indices } = Ranked::<T>::of_words(words, k, found);
        let located = values.into_iter().zip(indices);
        let kept = located.map(|(x, index)| Located::new(Self::END, x, first.wrapping_add(index))).collect();
        let mut acc = vec![0; k as usize * Located::<T::Key>::WORDS];
        Leaders { kept, ..Leaders::NONE }.write(&mut acc);
        acc
    }
}

impl<T: Scalar, const HIGH: bool> Fold<T> for Ranking<HIGH> {
    type Acc = Leaders<T::Key>;
    const HOST_ONLY: Option<&'static str> = Some(TOO_LONG);

    fn ranks(&self) -> Option<Ranks> {
        Some(self.listed::<T>())
    }
    fn identity(&self) -> Self::Acc {
        Leaders::NONE
    }
    fn lift(&self, x: T, index: u64) -> Self::Acc {
        Leaders { kept: vec![Located::new(Self::END, x, index)], ..Leaders::NONE }
    }
    fn combine(&self, mut a: Self::Acc, b: Self::Acc) -> Self::Acc {
        Fold::<T>::merge(self, &mut a, b);
        a
    }
    fn merge(&self, acc: &mut Self::Acc, other: Self::Acc) {
        match acc.kept.is_empty() {
            true => *acc = other,
            false => other.kept.into_iter().for_each(|located| acc.add::<T>(located, self.k as usize)),
        }
    }
    #[inline]
    fn add(&self, acc: &mut Self::Acc, x: T, index: u64) {
        acc.add::<T>(Located::new(Self::END, x, index), self.k as usize);
    }
    #[inline(always)]
    fn accumulate(&self, elements: &[T], index: u64) -> Self::Acc {
        let (mut acc, k, most) = (Leaders::NONE, self.k as usize, OrderKey::narrow(self.most));
        for (block, at) in elements.chunks(BLOCK).zip((index..).step_by(BLOCK)) {
            // Neighbours of which most have nothing to look at.
            match block.len() / (2 * k) {
                64.. => acc.take::<T, 64>(Self::END, block, at, k, most),
                32.. => acc.take::<T, 32>(Self::END, block, at, k, most),
                _ => acc.take::<T, 16>(Self::END, block, at, k, most),
            }
        }
        acc
    }
    /// Nothing is taken that is worse than what bounds the others.
    fn accumulate_onto(&self, acc: Self::Acc, elements: &[T], index: u64) -> Self::Acc {
        let bounded = Ranking { most: self.most.min(acc.bound.order::<T>().0.wide()), ..*self };
        Fold::<T>::combine(self, acc, accumulate_block(&bounded, elements, index))
    }
    fn offset(&self, acc: Self::Acc, by: u64) -> Self::Acc {
        let kept = acc.kept.into_iter().map(|located| located.moved(by)).collect();
        Leaders { kept, bound: acc.bound.moved(by) }
    }
    fn params(&self) -> Vec<u32> {
        vec![self.k]
    }
    fn acc_words(&self) -> usize {
        self.k as usize * Located::<T::Key>::WORDS
    }
    fn acc_bytes(&self) -> usize {
        let room = Leaders::<T::Key>::room(self.k as usize);
        size_of::<Self::Acc>() + room * size_of::<Located<T::Key>>()
    }
    fn write_acc(&self, acc: &Self::Acc, words: &mut [u32]) {
        acc.clone().ordered::<T>(self.k as usize).write(words);
    }
    fn canonical(&self, acc: Self::Acc) -> Self::Acc {
        acc.ordered::<T>(self.k as usize)
    }
    /// That places move is all that it says.
    fn wgsl(&self) -> Wgsl {
        no_wgsl().offset("return acc;")
    }
}

macro_rules! ranking {
    ($(#[$doc:meta])* $name:ident, $text:literal, $about:literal, $high:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name {
            pub(crate) k: Length,
        }

        impl $name {
            /// So many elements.
            ///
            /// # Errors
            /// [`Error::BadOption`] where `k` is 0 or more than 1024.
            pub fn new(k: u32) -> Result<Self> {
                Ok($name { k: Length::new($text, k)? })
            }

            /// Number of elements.
            pub fn k(&self) -> u32 {
                self.k.0
            }
        }

        impl Default for $name {
            /// 10 elements.
            fn default() -> Self {
                $name { k: Length(10) }
            }
        }

        impl<T: Scalar + Into<Value>> Op<T> for $name {
            type Fold = Ranking<$high>;
            type Output = Ranked<T>;
            const NAME: &'static str = $text;
            const ABOUT: &'static str = $about;
            const EXACT: bool = true;

            fn signature(&self) -> String {
                format!("{}(k={})", $text, self.k.0)
            }
            fn picks(&self) -> bool {
                true
            }
            fn fold(&self) -> Self::Fold {
                Ranking { k: self.k.0, most: u64::MAX }
            }
            fn finish(&self, acc: Leaders<T::Key>, _: u64) -> Result<Ranked<T>> {
                let ordered = acc.ordered::<T>(self.k.0 as usize).kept.into_iter();
                let found = ordered.filter_map(|located| located.found::<T>(Ranking::<$high>::END, 1));
                let (values, indices) = found.map(|found| (found.value, found.index)).unzip();
                Ok(Ranked { values, indices })
            }
        }
    };
}

ranking! {
    /// The k largest elements and their indices, the largest first; k is 1 to 1024.
    ///
    /// - **Answer**: a [`Ranked`]: of fewer than k elements all of them. **Empty**: none.
    /// - **Order**: commutative. **Ties**: the lowest index first; -0 and +0 tie. **NaN**: comes first, as [`ArgMax`](super::ArgMax) finds it, whose
    ///   answer is the first one here.
    /// - **Index**: u64, in the whole input. **On the device**: a [`Ranker`](crate::Ranker) finds them, of f16 and of types of 32 and 64 bits, and
    ///   so do streams of such elements, by axes and segments too; reducers have no lists.
    ///
    /// ```
    /// use treefold::{Cpu, ops::Top};
    /// let top = Cpu::new().reduce(Top::new(3)?, &[4i32, 9, -1, 9, 5])?;
    /// assert_eq!((top.values, top.indices), (vec![9, 9, 5], vec![1, 3, 4]));
    /// # Ok::<(), treefold::Error>(())
    /// ```
    Top, "top", "The k largest elements and their indices, the largest first", true
}

ranking! {
    /// The k smallest elements and their indices, the smallest first; all else is as for [`Top`], with [`ArgMin`](super::ArgMin).
    ///
    /// ```
    /// use treefold::{Cpu, ops::Bottom};
    /// let bottom = Cpu::new().reduce(Bottom::new(2)?, &[4.0f32, 9.0, -1.0, 5.0])?;
    /// assert_eq!((bottom.values, bottom.indices), (vec![-1.0, 4.0], vec![2, 0]));
    /// # Ok::<(), treefold::Error>(())
    /// ```
    Bottom, "bottom", "The k smallest elements and their indices, the smallest first", false
}
