//! Minimum, maximum, both, and where they are: all on keys, integers that order as the elements do.
//!
//! One rule serves them all: *the lowest rank wins*. For a minimum the rank of an element is its key, for a maximum the
//! key's complement; a NaN has rank 0 and so beats everything; no element at all has rank 2^32 - 1, which no float has.

use crate::{Op, Result, Word, accumulator};

/// Which end of the order is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Low,
    High,
}

impl End {
    #[inline(always)]
    pub(crate) fn rank<T: Word>(self, x: T) -> u32 {
        let key = if self == End::Low { x.key() } else { !x.key() };
        if x.is_nan() { 0 } else { key }
    }

    /// The element of a rank. A NaN comes back as the canonical one.
    pub(crate) fn unrank<T: Word>(self, rank: u32) -> T {
        if rank == 0 && T::DTYPE == crate::Dtype::F32 {
            return T::from_bits(0x7fc0_0000);
        }
        T::unkey(if self == End::Low { rank } else { !rank })
    }

    /// `rank` and `unrank` in WGSL, their names behind a prefix.
    pub(crate) fn wgsl<T: Word>(self, prefix: &str) -> String {
        let flip = if self == End::Low { "" } else { "~" };
        let nan = if T::DTYPE == crate::Dtype::F32 { "if rank == 0u { return 0x7fc00000u; } " } else { "" };
        format!(
            "fn {prefix}rank(bits: u32) -> u32 {{ return select({flip}key(bits), 0u, is_nan(bits)); }}
fn {prefix}unrank(rank: u32) -> u32 {{ {nan}return unkey({flip}rank); }}
"
        )
    }
}

pub(crate) const NONE: u32 = u32::MAX;

macro_rules! extreme {
    ($(#[$doc:meta])* $name:ident, $text:literal, $about:literal, $end:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name;

        impl<T: Word> Op<T> for $name {
            type Acc = u32;
            type Output = Option<T>;
            const ANSWER_WORDS: usize = 1;
            const ABOUT: &'static str = $about;
            const EXACT: bool = true;

            fn name(&self) -> &'static str {
                $text
            }
            #[inline(always)]
            fn identity(&self) -> u32 {
                NONE
            }
            #[inline(always)]
            fn lift(&self, x: T, _: u64) -> u32 {
                $end.rank(x)
            }
            #[inline(always)]
            fn combine(&self, a: u32, b: u32) -> u32 {
                a.min(b)
            }
            fn finish(&self, acc: u32, count: u64) -> Result<Option<T>> {
                Ok((count > 0).then(|| $end.unrank(acc)))
            }
            fn wgsl(&self) -> String {
                $end.wgsl::<T>("")
                    + "
fn identity() -> Acc { return 0xffffffffu; }
fn lift(bits: u32, index: u32) -> Acc { return rank(bits); }
fn combine(a: Acc, b: Acc) -> Acc { return min(a, b); }
fn finish(acc: Acc, count: vec2<u32>) -> array<u32, 1> { return array<u32, 1>(unrank(acc)); }"
            }
        }
    };
}
pub(super) use extreme;

/// An extreme element and where it stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found<T> {
    /// The element; a NaN is the canonical one, a zero keeps its sign.
    pub value: T,
    /// Its place in the whole input, counted from 0: the lowest, where several are equal.
    pub index: u64,
}

accumulator! {
    /// The best rank so far and the place of its element; nothing yet: all ones.
    pub struct Place {
        /// The element's rank: the lowest wins.
        rank: u32,
        /// Low word of its place.
        low: u32,
        /// High word of its place.
        high: u32,
    }
}

impl Place {
    pub(crate) const NOWHERE: Place = Place { rank: NONE, low: NONE, high: NONE };

    #[inline(always)]
    pub(crate) fn new<T: Word>(end: End, x: T, index: u64) -> Place {
        Place { rank: end.rank(x), low: index as u32, high: (index >> 32) as u32 }
    }
    #[inline(always)]
    fn index(self) -> u64 {
        u64::from(self.low) | u64::from(self.high) << 32
    }
    #[inline(always)]
    pub(crate) fn better<T: Word>(self, other: Place) -> Place {
        let (a, b) = ((T::tie(self.rank), self.index()), (T::tie(other.rank), other.index()));
        if b < a { other } else { self }
    }
    pub(crate) fn found<T: Word>(self, end: End, count: u64) -> Option<Found<T>> {
        (count > 0).then(|| Found { value: end.unrank(self.rank), index: self.index() })
    }

    /// The lowest rank of a slice and its first place: one pass for the rank, a second that stops at it.
    #[inline(always)]
    pub(crate) fn of<T: Word>(end: End, elements: &[T], index: u64) -> Place {
        let mut best = Place::NOWHERE;
        for (block, at) in elements.chunks(4096).zip((index..).step_by(4096)) {
            let rank = block.iter().fold(NONE, |rank, &x| rank.min(T::tie(end.rank(x))));
            if rank < T::tie(best.rank) || best.index() == u64::MAX {
                let first = block.iter().position(|&x| T::tie(end.rank(x)) == rank).unwrap_or(0);
                best = Place::new(end, block[first], at + first as u64);
            }
        }
        best
    }
}

/// The WGSL of an operator on [`Place`].
pub(crate) fn place_wgsl<T: Word>(end: End) -> String {
    end.wgsl::<T>("")
        + "
fn identity() -> Acc { return Acc(0xffffffffu, 0xffffffffu, 0xffffffffu); }
fn lift(bits: u32, index: u32) -> Acc { return Acc(rank(bits), index, 0u); }
fn combine(a: Acc, b: Acc) -> Acc {
    let ra = tie(a.rank);
    let rb = tie(b.rank);
    let earlier = (b.high < a.high) | ((b.high == a.high) & (b.low < a.low));
    let other = (rb < ra) | ((rb == ra) & earlier);
    return Acc(select(a.rank, b.rank, other), select(a.low, b.low, other), select(a.high, b.high, other));
}
fn rebase(acc: Acc, base: vec2<u32>) -> Acc {
    let place = add64(vec2<u32>(acc.low, acc.high), base);
    let nowhere = acc.high == 0xffffffffu;
    return Acc(acc.rank, select(place.x, acc.low, nowhere), select(place.y, acc.high, nowhere));
}
fn finish(acc: Acc, count: vec2<u32>) -> array<u32, 3> { return array<u32, 3>(unrank(acc.rank), acc.low, acc.high); }"
}

macro_rules! arg_extreme {
    ($(#[$doc:meta])* $name:ident, $text:literal, $about:literal, $end:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name;

        impl<T: Word> Op<T> for $name {
            type Acc = Place;
            type Output = Option<Found<T>>;
            const ANSWER_WORDS: usize = 3;
            const ABOUT: &'static str = $about;
            const EXACT: bool = true;
            const PLACES: bool = true;

            fn name(&self) -> &'static str {
                $text
            }
            #[inline(always)]
            fn identity(&self) -> Place {
                Place::NOWHERE
            }
            #[inline(always)]
            fn lift(&self, x: T, index: u64) -> Place {
                Place::new($end, x, index)
            }
            #[inline(always)]
            fn combine(&self, a: Place, b: Place) -> Place {
                a.better::<T>(b)
            }
            fn finish(&self, acc: Place, count: u64) -> Result<Option<Found<T>>> {
                Ok(acc.found($end, count))
            }
            fn wgsl(&self) -> String {
                place_wgsl::<T>($end)
            }
            #[inline(always)]
            fn fold(&self, elements: &[T], index: u64) -> Place {
                Place::of($end, elements, index)
            }
        }
    };
}
pub(super) use arg_extreme;

accumulator! {
    /// The lowest rank from below and from above.
    pub struct Ends {
        /// Rank of the minimum.
        low: u32,
        /// Rank of the maximum.
        high: u32,
    }
}

/// The smallest and the largest element, in one read.
///
/// - **Order**: commutative. **Empty**: `None`. **NaN**: any NaN makes both NaN.
/// - **Zeros**: -0 and +0 are equal; of the two, the minimum reports -0 and the maximum +0.
/// - **On the device**: 2 words, minimum then maximum.
///
/// ```
/// use treefold::{Cpu, ops::MinMax};
/// assert_eq!(Cpu::new().reduce(MinMax, &[3i32, -7, 5])?, Some((-7, 5)));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct MinMax;

impl<T: Word> Op<T> for MinMax {
    type Acc = Ends;
    type Output = Option<(T, T)>;
    const ANSWER_WORDS: usize = 2;
    const ABOUT: &'static str = "Smallest and largest element";
    const EXACT: bool = true;

    fn name(&self) -> &'static str {
        "minmax"
    }
    #[inline(always)]
    fn identity(&self) -> Ends {
        Ends { low: NONE, high: NONE }
    }
    #[inline(always)]
    fn lift(&self, x: T, _: u64) -> Ends {
        Ends { low: End::Low.rank(x), high: End::High.rank(x) }
    }
    #[inline(always)]
    fn combine(&self, a: Ends, b: Ends) -> Ends {
        Ends { low: a.low.min(b.low), high: a.high.min(b.high) }
    }
    fn finish(&self, acc: Ends, count: u64) -> Result<Option<(T, T)>> {
        Ok((count > 0).then(|| (End::Low.unrank(acc.low), End::High.unrank(acc.high))))
    }
    fn wgsl(&self) -> String {
        End::Low.wgsl::<T>("low_")
            + &End::High.wgsl::<T>("high_")
            + "
fn identity() -> Acc { return Acc(0xffffffffu, 0xffffffffu); }
fn lift(bits: u32, index: u32) -> Acc { return Acc(low_rank(bits), high_rank(bits)); }
fn combine(a: Acc, b: Acc) -> Acc { return Acc(min(a.low, b.low), min(a.high, b.high)); }
fn finish(acc: Acc, count: vec2<u32>) -> array<u32, 2> { return array<u32, 2>(low_unrank(acc.low), high_unrank(acc.high)); }"
    }
}
