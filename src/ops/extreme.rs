//! Minimum, maximum, both, and where they are: all on keys, integers that order as the elements do.
//!
//! One rule serves them all: *the lowest rank wins*. For a minimum the rank of an element is its key, for a maximum the
//! key's complement; a NaN has rank 0 and so beats everything; no element at all has rank 2^32 - 1, which no float has.

use crate::element::Word;
use crate::op::WordType;
use crate::{Answer, DeviceAnswer, Fold, Op, Part, Result, Value, Wgsl, accumulator};

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

/// The type of an element as a word of an answer.
pub(super) fn word_type<T: Word>() -> WordType {
    match T::DTYPE {
        crate::Dtype::F32 => WordType::F32,
        crate::Dtype::I32 => WordType::I32,
        _ => WordType::U32,
    }
}

macro_rules! extreme {
    ($(#[$doc:meta])* $name:ident, $text:literal, $about:literal, $end:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name;

        impl<T: Word> Fold<T> for $name {
            type Acc = u32;

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
            fn wgsl(&self) -> Wgsl {
                Wgsl::new("return 0xffffffffu;", "return rank(bits);", "return min(a, b);").helpers($end.wgsl::<T>("")).checked()
            }
        }

        impl<T: Word> Op<T> for $name {
            type Fold = $name;
            type Output = Option<T>;
            const NAME: &'static str = $text;
            const ABOUT: &'static str = $about;
            const EXACT: bool = true;

            fn fold(&self) -> $name {
                $name
            }
            fn finish(&self, acc: u32, count: u64) -> Result<Option<T>> {
                Ok((count > 0).then(|| $end.unrank(acc)))
            }
            fn answer(&self) -> Option<DeviceAnswer> {
                Some(DeviceAnswer::checked([($text, word_type::<T>())], "return array<u32, 1>(unrank(acc));"))
            }
            fn read(&self, words: &[u32], count: u64) -> Result<Option<T>> {
                Ok((count > 0).then(|| T::from_bits(words[0])))
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

impl<T: Copy + Into<Value>> Answer for Option<Found<T>> {
    fn parts(&self) -> Vec<Part> {
        vec![found("value", *self)]
    }
}

/// A part that has a place.
pub(super) fn found<T: Into<Value>>(name: &'static str, found: Option<Found<T>>) -> Part {
    let index = found.as_ref().map(|found| found.index);
    Part { name, value: found.map(|found| found.value).into(), index }
}

accumulator! {
    /// The best rank so far and the place of its element; nothing yet: all ones.
    pub struct Located {
        /// The element's rank: the lowest wins.
        rank: u32,
        /// Low word of its place.
        low: u32,
        /// High word of its place.
        high: u32,
    }
}

impl Located {
    pub(crate) const NOWHERE: Located = Located { rank: NONE, low: NONE, high: NONE };

    #[inline(always)]
    pub(crate) fn new<T: Word>(end: End, x: T, index: u64) -> Located {
        Located { rank: end.rank(x), low: index as u32, high: (index >> 32) as u32 }
    }
    /// Behind so many elements.
    pub(crate) fn moved(self, by: u64) -> Located {
        if self == Located::NOWHERE {
            return self;
        }
        let index = self.index().wrapping_add(by);
        Located { low: index as u32, high: (index >> 32) as u32, ..self }
    }
    #[inline(always)]
    fn index(self) -> u64 {
        u64::from(self.low) | u64::from(self.high) << 32
    }
    #[inline(always)]
    pub(crate) fn better<T: Word>(self, other: Located) -> Located {
        let (a, b) = ((T::tie(self.rank), self.index()), (T::tie(other.rank), other.index()));
        if b < a { other } else { self }
    }
    pub(crate) fn found<T: Word>(self, end: End, count: u64) -> Option<Found<T>> {
        (count > 0).then(|| Found { value: end.unrank(self.rank), index: self.index() })
    }

    /// The lowest rank of a slice and its first place: one pass for the rank, a second that stops at it.
    #[inline(always)]
    pub(crate) fn of<T: Word>(end: End, elements: &[T], index: u64) -> Located {
        let mut best = Located::NOWHERE;
        for (block, at) in elements.chunks(4096).zip((index..).step_by(4096)) {
            let rank = block.iter().fold(NONE, |rank, &x| rank.min(T::tie(end.rank(x))));
            if rank < T::tie(best.rank) || best.index() == u64::MAX {
                let first = block.iter().position(|&x| T::tie(end.rank(x)) == rank).unwrap_or(0);
                best = Located::new(end, block[first], at + first as u64);
            }
        }
        best
    }
}

/// The WGSL of a fold into [`Located`].
pub(crate) fn located_wgsl<T: Word>(end: End) -> Wgsl {
    Wgsl::new(
        "return Acc(0xffffffffu, 0xffffffffu, 0xffffffffu);",
        "return Acc(rank(bits), index, 0u);",
        "let ra = tie(a.rank);
let rb = tie(b.rank);
let earlier = (b.high < a.high) | ((b.high == a.high) & (b.low < a.low));
let other = (rb < ra) | ((rb == ra) & earlier);
return Acc(select(a.rank, b.rank, other), select(a.low, b.low, other), select(a.high, b.high, other));",
    )
    .offset(
        "let place = add64(vec2<u32>(acc.low, acc.high), by);
let nowhere = acc.high == 0xffffffffu;
return Acc(acc.rank, select(place.x, acc.low, nowhere), select(place.y, acc.high, nowhere));",
    )
    .helpers(end.wgsl::<T>(""))
    .checked()
}

macro_rules! arg_extreme {
    ($(#[$doc:meta])* $name:ident, $text:literal, $about:literal, $end:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name;

        impl<T: Word> Fold<T> for $name {
            type Acc = Located;

            #[inline(always)]
            fn identity(&self) -> Located {
                Located::NOWHERE
            }
            #[inline(always)]
            fn lift(&self, x: T, index: u64) -> Located {
                Located::new($end, x, index)
            }
            #[inline(always)]
            fn combine(&self, a: Located, b: Located) -> Located {
                a.better::<T>(b)
            }
            #[inline(always)]
            fn accumulate(&self, elements: &[T], index: u64) -> Located {
                Located::of($end, elements, index)
            }
            fn offset(&self, acc: Located, by: u64) -> Located {
                acc.moved(by)
            }
            fn wgsl(&self) -> Wgsl {
                located_wgsl::<T>($end)
            }
        }

        impl<T: Word> Op<T> for $name {
            type Fold = $name;
            type Output = Option<Found<T>>;
            const NAME: &'static str = $text;
            const ABOUT: &'static str = $about;
            const EXACT: bool = true;

            fn fold(&self) -> $name {
                $name
            }
            fn finish(&self, acc: Located, count: u64) -> Result<Option<Found<T>>> {
                Ok(acc.found($end, count))
            }
            fn answer(&self) -> Option<DeviceAnswer> {
                let words = [("value", word_type::<T>()), ("index, low", WordType::Part), ("index, high", WordType::Part)];
                Some(DeviceAnswer::checked(words, "return array<u32, 3>(unrank(acc.rank), acc.low, acc.high);"))
            }
            fn read(&self, words: &[u32], count: u64) -> Result<Option<Found<T>>> {
                let index = u64::from(words[1]) | u64::from(words[2]) << 32;
                Ok((count > 0).then(|| Found { value: T::from_bits(words[0]), index }))
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

impl<T: Word> Fold<T> for MinMax {
    type Acc = Ends;

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
    fn wgsl(&self) -> Wgsl {
        Wgsl::new(
            "return Acc(0xffffffffu, 0xffffffffu);",
            "return Acc(low_rank(bits), high_rank(bits));",
            "return Acc(min(a.low, b.low), min(a.high, b.high));",
        )
        .helpers(End::Low.wgsl::<T>("low_"))
        .helpers(End::High.wgsl::<T>("high_"))
        .checked()
    }
}

impl<T: Word> Op<T> for MinMax {
    type Fold = MinMax;
    type Output = Option<(T, T)>;
    const NAME: &'static str = "minmax";
    const ABOUT: &'static str = "Smallest and largest element";
    const EXACT: bool = true;

    fn fold(&self) -> MinMax {
        MinMax
    }
    fn finish(&self, acc: Ends, count: u64) -> Result<Option<(T, T)>> {
        Ok((count > 0).then(|| (End::Low.unrank(acc.low), End::High.unrank(acc.high))))
    }
    fn answer(&self) -> Option<DeviceAnswer> {
        let words = [("min", word_type::<T>()), ("max", word_type::<T>())];
        Some(DeviceAnswer::checked(words, "return array<u32, 2>(low_unrank(acc.low), high_unrank(acc.high));"))
    }
    fn read(&self, words: &[u32], count: u64) -> Result<Option<(T, T)>> {
        Ok((count > 0).then(|| (T::from_bits(words[0]), T::from_bits(words[1]))))
    }
}
