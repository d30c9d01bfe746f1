//! Minimum, maximum, both, and where they are: all on keys, integers that order as the elements do.
//!
//! One rule serves them all: *the lowest rank wins*. For a minimum the rank of an element is its key, for a maximum the
//! key's complement; a NaN has rank 0 and so beats everything; no element at all has the highest rank, which no float has.
//! Ranks of elements of 64 bits are two words.

use super::located::{Found, Located, before_wgsl, moved_wgsl, place_order};
use crate::element::{OrderKey, Scalar};
use crate::op::{Device, Keep, Member, Text, WordType, join, split};
use crate::{Accumulator, DeviceAnswer, Dtype, Fold, Op, Result, Wgsl};

/// The end of the order that is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Low,
    High,
}

impl End {
    #[inline(always)]
    pub(crate) fn rank<T: Scalar>(self, x: T) -> T::Key {
        if x.is_nan() { T::Key::LEAST } else { self.key(x) }
    }

    /// The rank of what is no NaN.
    #[inline(always)]
    fn key<T: Scalar>(self, x: T) -> T::Key {
        if self == End::Low { x.key() } else { !x.key() }
    }

    /// The element of a rank. A NaN comes back as the canonical one.
    pub(crate) fn unrank<T: Scalar>(self, rank: T::Key) -> T {
        match T::NAN {
            Some(nan) if rank == T::Key::LEAST => nan,
            _ => T::unkey(if self == End::Low { rank } else { !rank }),
        }
    }

    /// `rank` and `unrank` in WGSL, from bits and to them, their names behind a prefix.
    pub(crate) fn wgsl<T: Scalar>(self, prefix: &str) -> String {
        let flip = if self == End::Low { "" } else { "~" };
        let (of, least, is_least) = match T::Key::WORDS {
            1 => ("u32", "0u", "rank == 0u"),
            _ => ("vec2<u32>", "vec2<u32>(0u, 0u)", "(rank.x | rank.y) == 0u"),
        };
        let nan = T::NAN.map_or(String::new(), |nan| {
            let [low, high] = [nan.pattern() as u32, (nan.pattern() >> 32) as u32];
            let bits =
                if T::Key::WORDS == 1 { format!("{low:#x}u") } else { format!("vec2<u32>({low:#x}u, {high:#x}u)") };
            format!("if {is_least} {{ return {bits}; }} ")
        });
        format!(
            "fn {prefix}rank(bits: {of}) -> {of} {{ return select({flip}key(bits), {least}, is_nan(bits)); }}
fn {prefix}unrank(rank: {of}) -> {of} {{ {nan}return unkey({flip}rank); }}
"
        )
    }
}

/// The words of an element in an answer: its own bits.
pub(super) fn words_of<T: Scalar>(name: &'static str) -> Vec<(&'static str, WordType)> {
    match T::DTYPE {
        Dtype::F32 => vec![(name, WordType::F32)],
        Dtype::I32 => vec![(name, WordType::I32)],
        _ if T::Key::WORDS == 1 => vec![(name, WordType::U32)],
        _ => vec![(name, WordType::Part), (name, WordType::Part)],
    }
}

/// An element from its words in an answer.
pub(super) fn element_of<T: Scalar>(words: &[u32]) -> T {
    T::from_pattern(join(words.get(..T::Key::WORDS).unwrap_or(words)))
}

/// The lowest rank so far; nothing yet: all ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rank<K>(pub(super) K);

impl<K: OrderKey> Accumulator for Rank<K> {
    const WORDS: usize = K::WORDS;
    const WGSL: &'static str = if K::WORDS == 1 { u32::WGSL } else { u64::WGSL };
    const MEMBERS: &'static [Member] = if K::WORDS == 1 { u32::MEMBERS } else { u64::MEMBERS };
    fn write(&self, words: &mut [u32]) {
        split(self.0.wide(), words);
    }
    fn read(words: &[u32]) -> Self {
        Rank(K::narrow(join(words)))
    }
}

/// The constants that turn keys into ranks, of which vectors have several to a word.
fn flip(end: End, signs: u32) -> String {
    let flip = if end == End::Low { signs } else { !signs };
    format!("const FLIP = {flip:#x}u;\n")
}

/// The ranks of floats of 16 bits as they are packed: the texts, and what they become in an accumulator; none of other types.
fn packed_floats(end: End, read: Dtype) -> Option<Vec<Text>> {
    let of = match read {
        Dtype::F16 => include_str!("../../shaders/extreme/f16.wgsl"),
        Dtype::BF16 => include_str!("../../shaders/extreme/bf16.wgsl"),
        _ => return None,
    };
    Some(vec![flip(end, 0).into(), of.into(), include_str!("../../shaders/extreme/float_halves.wgsl").into()])
}

/// The same of integers, several to a word, as constants, and how many bits each has.
fn packed_integers(end: End, read: Dtype) -> Option<(Vec<Text>, u32)> {
    // Signed keys lie around 2^31.
    let (signs, lowest, bits) = match read {
        Dtype::U8 => (0, 0, 8),
        Dtype::I8 => (0x8080_8080, 0x7fff_ff80, 8),
        Dtype::U16 => (0, 0, 16),
        Dtype::I16 => (0x8000_8000, 0x7fff_8000, 16),
        _ => return None,
    };
    let base: u32 = if end == End::Low { lowest } else { !(lowest + ((1 << bits) - 1)) };
    Some((vec![flip(end, signs).into(), format!("const BASE = {base:#x}u;\n").into()], bits))
}

/// The form that takes 16 bytes as they are packed: of f16 these are a vector, of types that are widened a load.
fn packed(wgsl: Wgsl, read: Dtype, body: &'static str) -> Wgsl {
    if read == Dtype::F16 { wgsl.vector(body) } else { wgsl.load(body) }
}

/// The WGSL of a fold into [`Rank`], where elements are read as they are or are of a narrower type.
pub(super) fn rank_wgsl<T: Scalar>(end: End, read: Dtype) -> Wgsl {
    let wgsl = match T::Key::WORDS {
        1 => Wgsl::new("return 0xffffffffu;", "return rank(bits);", "return min(a, b);").atomic("atomicMin"),
        _ => Wgsl::new(
            "return Acc(0xffffffffu, 0xffffffffu);",
            "let lifted = rank(bits);\nreturn Acc(lifted.x, lifted.y);",
            "let other = less64(vec2<u32>(b.low, b.high), vec2<u32>(a.low, a.high));
return Acc(select(a.low, b.low, other), select(a.high, b.high, other));",
        ),
    };
    let wgsl = wgsl.helpers(end.wgsl::<T>("")).checked();
    let Some(texts) = packed_floats(end, read) else { return wgsl };
    let wgsl = wgsl.reading(texts).reading([include_str!("../../shaders/extreme/least.wgsl")]);
    packed(wgsl, read, "return min(acc, least_of(vector));")
}

/// The element of a [`Rank`] as the device answers it.
pub(super) fn rank_answer<T: Scalar>(name: &'static str) -> DeviceAnswer {
    DeviceAnswer::checked(
        words_of::<T>(name),
        match T::Key::WORDS {
            1 => "return array<u32, 1>(unrank(acc));",
            _ => "let bits = unrank(vec2<u32>(acc.low, acc.high));\nreturn array<u32, 2>(bits.x, bits.y);",
        },
    )
}

/// The lowest rank of a slice.
#[inline(always)]
pub(super) fn lowest_rank<T: Scalar>(end: End, elements: &[T]) -> T::Key {
    match (T::ends(elements), end) {
        (None, _) => T::Key::LEAST,
        (Some((least, _)), End::Low) => least,
        (Some((_, greatest)), End::High) => !greatest,
    }
}

macro_rules! extreme {
    ($(#[$doc:meta])* $name:ident, $text:literal, $about:literal, $end:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name;

        impl<T: Scalar> Fold<T> for $name {
            type Acc = Rank<T::Key>;

            #[inline(always)]
            fn identity(&self) -> Rank<T::Key> {
                Rank(T::Key::MOST)
            }
            #[inline(always)]
            fn lift(&self, x: T, _: u64) -> Rank<T::Key> {
                Rank($end.rank(x))
            }
            #[inline(always)]
            fn combine(&self, a: Rank<T::Key>, b: Rank<T::Key>) -> Rank<T::Key> {
                Rank(a.0.min(b.0))
            }
            #[inline(always)]
            fn accumulate(&self, elements: &[T], _: u64) -> Rank<T::Key> {
                Rank(super::extreme::lowest_rank($end, elements))
            }
            fn wgsl(&self) -> Wgsl {
                rank_wgsl::<T>($end, T::DTYPE)
            }
            fn device_over(&self, _: crate::op::Keep, read: crate::Dtype) -> crate::op::Device {
                crate::op::Device::Value(rank_wgsl::<T>($end, read))
            }
        }

        impl<T: Scalar> Op<T> for $name {
            type Fold = $name;
            type Output = Option<T>;
            const NAME: &'static str = $text;
            const ABOUT: &'static str = $about;
            const EXACT: bool = true;

            fn fold(&self) -> $name {
                $name
            }
            fn finish(&self, acc: Rank<T::Key>, count: u64) -> Result<Option<T>> {
                Ok((count > 0).then(|| $end.unrank(acc.0)))
            }
            fn answer(&self) -> Option<DeviceAnswer> {
                Some(rank_answer::<T>($text))
            }
            fn read(&self, words: &[u32], count: u64) -> Result<Option<T>> {
                Ok((count > 0).then(|| element_of(words)))
            }
        }
    };
}
pub(super) use extreme;

impl<K: OrderKey> Located<K> {
    #[inline(always)]
    pub(crate) fn new<T: Scalar<Key = K>>(end: End, x: T, index: u64) -> Located<K> {
        Located { key: end.rank(x), index }
    }
    /// The order of elements: that of equal ones by their places.
    #[inline(always)]
    pub(super) fn order<T: Scalar<Key = K>>(self) -> (K, u64) {
        (T::tie(self.key), self.index)
    }
    /// The better one; of equals the first or the last.
    #[inline(always)]
    pub(crate) fn better<T: Scalar<Key = K>>(self, other: Located<K>, last: bool) -> Located<K> {
        let order = |located: Located<K>| (T::tie(located.key), place_order(located.index, last));
        if order(other) < order(self) { other } else { self }
    }
    pub(crate) fn found<T: Scalar<Key = K>>(self, end: End, count: u64) -> Option<Found<T>> {
        (count > 0).then(|| Found { value: end.unrank(self.key), index: self.index })
    }

    /// The lowest rank of a slice and its first or last place: one pass for the rank, a second from that side that stops at it.
    #[inline(always)]
    pub(crate) fn of<T: Scalar<Key = K>>(end: End, last: bool, elements: &[T], index: u64) -> Located<K> {
        const BLOCK: usize = 4096;
        let mut best = Self::NOWHERE;
        let blocks = elements.len().div_ceil(BLOCK);
        for number in (0..blocks).map(|turn| if last { blocks - 1 - turn } else { turn }) {
            let (_, rest) = elements.split_at(number * BLOCK);
            let block = &rest[..rest.len().min(BLOCK)];
            // What is met first wins ties.
            let rank = T::tie(lowest_rank(end, block));
            if rank < T::tie(best.key) || best.index == u64::MAX {
                let is_it = |&x: &T| T::tie(end.rank(x)) == rank;
                // Whole vectors are compared, up to the first that has it.
                let without = |part: &&[T]| !part.iter().fold(false, |any, x| any | is_it(x));
                let passed = match last {
                    false => block.chunks(64).take_while(without).count() * 64,
                    true => block.rchunks(64).take_while(without).count() * 64,
                }
                .min(block.len());
                let at = match last {
                    false => passed + block[passed..].iter().position(is_it).unwrap_or(0),
                    true => block[..block.len() - passed].iter().rposition(is_it).unwrap_or(0),
                };
                best = Located::new(end, block[at], index + (number * BLOCK + at) as u64);
            }
        }
        best
    }
}

/// The WGSL of a fold into [`Located`], where elements are read as they are or are of a narrower type.
pub(super) fn located_wgsl<T: Scalar>(end: End, last: bool, read: Dtype) -> Wgsl {
    let before = before_wgsl(last);
    let wgsl = match T::Key::WORDS {
        1 => Wgsl::new(
            "return Acc(0xffffffffu, 0xffffffffu, 0xffffffffu);",
            "return Acc(rank(bits), index, 0u);",
            format!(
                "let ra = tie(a.key);
let rb = tie(b.key);
let earlier = {before};
let other = (rb < ra) | ((rb == ra) & earlier);
return Acc(select(a.key, b.key, other), select(a.low, b.low, other), select(a.high, b.high, other));"
            ),
        ),
        _ => Wgsl::new(
            "return Acc(0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu);",
            "let lifted = rank(bits);
return Acc(lifted.x, lifted.y, index, 0u);",
            format!(
                "let ra = tie(vec2<u32>(a.key, a.key_high));
let rb = tie(vec2<u32>(b.key, b.key_high));
let earlier = {before};
let other = less64(rb, ra) | (all(rb == ra) & earlier);
return Acc(select(a.key, b.key, other), select(a.key_high, b.key_high, other),
    select(a.low, b.low, other), select(a.high, b.high, other));"
            ),
        ),
    };
    let wgsl = wgsl.offset(moved_wgsl::<T::Key>()).helpers(end.wgsl::<T>("")).checked();
    let turn = format!("const TURN = {}u;\n", if last { 15 } else { 0 });
    if let Some(texts) = packed_floats(end, read) {
        let wgsl = wgsl.reading([turn]).reading(texts).reading([ARG_HALVES, ARG_FLOATS]);
        // f16 are never words; others are behind a map or a test.
        let wgsl = if read == Dtype::F16 { wgsl } else { in_turn::<T>(by_vectors::<T>(wgsl, end, last), last) };
        return packed(wgsl, read, "return best_of(acc, vector, index);");
    }
    match packed_integers(end, read) {
        Some((constants, 8)) => wgsl
            .reading([turn])
            .reading(constants)
            .reading([ARG_BYTES])
            .load("return combine(acc, best_of_bytes(vector, index));"),
        Some((constants, _)) => wgsl
            .reading([turn])
            .reading(constants)
            .reading([INTEGER_HALVES, ARG_HALVES])
            .load("return combine(acc, best_half(vector, index));"),
        None => in_turn::<T>(by_vectors::<T>(wgsl, end, last), last),
    }
}

const ARG_HALVES: &str = include_str!("../../shaders/extreme/arg_halves.wgsl");
const ARG_FLOATS: &str = include_str!("../../shaders/extreme/arg_floats.wgsl");
const INTEGER_HALVES: &str = include_str!("../../shaders/extreme/integer_halves.wgsl");
const BEST_VECTOR: &str = include_str!("../../shaders/extreme/best_vector.wgsl");
const KEPT: &str = include_str!("../../shaders/extreme/kept.wgsl");
const LOOKED_UP: &str = include_str!("../../shaders/extreme/looked_up.wgsl");
const FLOAT_RANKS: &str = include_str!("../../shaders/extreme/float_ranks.wgsl");
const ARG_BYTES: &str = include_str!("../../shaders/extreme/arg_bytes.wgsl");

/// A state that keeps the best vector, of words whose layout is known: own types may rank theirs in any way. An H200, 2^28 f32 by elements one
/// after another, with the vector in registers, and looked up at the end (`treefold bench argmin,stats,fast_stats --size 2^28 --adapter 0`, each with
/// two loads in flight, where its sums are exact): argmin 250, 244 and 247 µs, stats 571, 432 and 417, fast_stats 491, 386 and 320.
fn by_vectors<T: Scalar>(wgsl: Wgsl, end: End, last: bool) -> Wgsl {
    let ranks = match T::DTYPE {
        Dtype::F32 => format!("const HIGHEST = {};\n{FLOAT_RANKS}", end == End::High),
        Dtype::I32 | Dtype::U32 => "fn rank_here(bits: u32) -> u32 { return rank(bits); }
fn one_nan(best: u32) -> u32 { return best; }
"
        .into(),
        _ => return wgsl,
    };
    let of = |kept: &str| format!("const LAST = {last};\n{ranks}\n{BEST_VECTOR}\n{kept}");
    wgsl.fixed_trips(3).over_vectors(of(KEPT), of(LOOKED_UP))
}

/// The form of vectors of floats: one after another, so that what comes later wins only where it is better, or as good where the last is looked
/// for. No rank of a float is that of nothing. Places are not compared: an invocation must meet vectors in their order.
fn in_turn<T: Scalar>(wgsl: Wgsl, last: bool) -> Wgsl {
    if T::NAN.is_none() {
        return wgsl;
    }
    match T::Key::WORDS {
        1 => {
            let wins = if last { "tie(lifted) <= tie(acc.key)" } else { "tie(lifted) < tie(acc.key)" };
            let behind = format!(
                "fn behind(acc: Acc, bits: u32, index: u32) -> Acc {{
    let lifted = rank(bits);
    let wins = {wins};
    return Acc(select(acc.key, lifted, wins), select(acc.low, index, wins), select(acc.high, 0u, wins));
}}"
            );
            wgsl.reading([behind]).vector(
                "let front = behind(behind(acc, vector.x, index), vector.y, index + 1u);
return behind(behind(front, vector.z, index + 2u), vector.w, index + 3u);",
            )
        }
        _ => {
            let wins = if last { "!less64(before, tie(lifted))" } else { "less64(tie(lifted), before)" };
            let behind = format!(
                "fn behind(acc: Acc, bits: vec2<u32>, index: u32) -> Acc {{
    let lifted = rank(bits);
    let before = tie(vec2<u32>(acc.key, acc.key_high));
    let wins = {wins};
    return Acc(select(acc.key, lifted.x, wins), select(acc.key_high, lifted.y, wins),
        select(acc.low, index, wins), select(acc.high, 0u, wins));
}}"
            );
            wgsl.reading([behind]).vector("return behind(behind(acc, vector.xy, index), vector.zw, index + 1u);")
        }
    }
}

/// The element that was found and its index, as the device answers them.
pub(super) fn located_answer<T: Scalar>() -> DeviceAnswer {
    let words = words_of::<T>("value").into_iter();
    DeviceAnswer::checked(
        words.chain([("index, low", WordType::Part), ("index, high", WordType::Part)]),
        match T::Key::WORDS {
            1 => "return array<u32, 3>(unrank(acc.key), acc.low, acc.high);",
            _ => {
                "let bits = unrank(vec2<u32>(acc.key, acc.key_high));\nreturn array<u32, 4>(bits.x, bits.y, acc.low, acc.high);"
            }
        },
    )
}

macro_rules! arg_extreme {
    ($(#[$doc:meta])* $name:ident, $text:literal, $about:literal, $end:expr, $last:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name;

        impl<T: Scalar> Fold<T> for $name {
            type Acc = Located<T::Key>;

            #[inline(always)]
            fn identity(&self) -> Located<T::Key> {
                Located::NOWHERE
            }
            #[inline(always)]
            fn lift(&self, x: T, index: u64) -> Located<T::Key> {
                Located::new($end, x, index)
            }
            #[inline(always)]
            fn combine(&self, a: Located<T::Key>, b: Located<T::Key>) -> Located<T::Key> {
                a.better::<T>(b, $last)
            }
            #[inline(always)]
            fn accumulate(&self, elements: &[T], index: u64) -> Located<T::Key> {
                Located::of($end, $last, elements, index)
            }
            fn offset(&self, acc: Located<T::Key>, by: u64) -> Located<T::Key> {
                acc.moved(by)
            }
            fn wgsl(&self) -> Wgsl {
                located_wgsl::<T>($end, $last, T::DTYPE)
            }
            fn device_over(&self, _: crate::op::Keep, read: crate::Dtype) -> crate::op::Device {
                crate::op::Device::Value(located_wgsl::<T>($end, $last, read))
            }
        }

        impl<T: Scalar> Op<T> for $name {
            type Fold = $name;
            type Output = Option<Found<T>>;
            const NAME: &'static str = $text;
            const ABOUT: &'static str = $about;
            const EXACT: bool = true;

            fn fold(&self) -> $name {
                $name
            }
            fn finish(&self, acc: Located<T::Key>, count: u64) -> Result<Option<Found<T>>> {
                Ok(acc.found($end, count))
            }
            fn answer(&self) -> Option<DeviceAnswer> {
                Some(located_answer::<T>())
            }
            fn read(&self, words: &[u32], count: u64) -> Result<Option<Found<T>>> {
                let index = join(words.get(T::Key::WORDS..).unwrap_or_default());
                Ok((count > 0).then(|| Found { value: element_of(words), index }))
            }
        }
    };
}
pub(super) use arg_extreme;

/// The lowest rank from below and from above.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExtremeRanks<K> {
    /// Rank of the minimum.
    low: K,
    /// Rank of the maximum.
    high: K,
}

impl<K> ExtremeRanks<K> {
    /// The minimum and the maximum.
    pub(super) fn elements<T: Scalar<Key = K>>(self) -> (T, T) {
        (End::Low.unrank(self.low), End::High.unrank(self.high))
    }
}

impl<K: OrderKey> Accumulator for ExtremeRanks<K> {
    const WORDS: usize = 2 * K::WORDS;
    const WGSL: &'static str = match K::WORDS {
        1 => "struct Acc { low: u32, high: u32, }",
        _ => "struct Acc { low: u32, low_high: u32, high: u32, high_high: u32, }",
    };
    const MEMBERS: &'static [Member] = match K::WORDS {
        1 => &[Member::word("low"), Member::word("high")],
        _ => &[Member::word("low"), Member::word("low_high"), Member::word("high"), Member::word("high_high")],
    };
    fn write(&self, words: &mut [u32]) {
        let (low, high) = words.split_at_mut(K::WORDS);
        split(self.low.wide(), low);
        split(self.high.wide(), high);
    }
    fn read(words: &[u32]) -> Self {
        let (low, high) = words.split_at(K::WORDS);
        ExtremeRanks { low: K::narrow(join(low)), high: K::narrow(join(high)) }
    }
}

/// The smallest and the largest element, in one read.
///
/// - **Order**: commutative. **Empty**: `None`. **NaN**: any NaN makes both NaN.
/// - **Zeros**: -0 and +0 are equal; of the two, the minimum reports -0 and the maximum +0.
/// - **On the device**: minimum then maximum, each a word, or two (low, high) of 64 bits.
///
/// ```
/// use treefold::{Cpu, ops::MinMax};
/// assert_eq!(Cpu::new().reduce(MinMax, &[3i32, -7, 5])?, Some((-7, 5)));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct MinMax;

impl<T: Scalar> Fold<T> for MinMax {
    type Acc = ExtremeRanks<T::Key>;

    #[inline(always)]
    fn identity(&self) -> ExtremeRanks<T::Key> {
        ExtremeRanks { low: T::Key::MOST, high: T::Key::MOST }
    }
    #[inline(always)]
    fn lift(&self, x: T, _: u64) -> ExtremeRanks<T::Key> {
        ExtremeRanks { low: End::Low.rank(x), high: End::High.rank(x) }
    }
    #[inline(always)]
    fn combine(&self, a: ExtremeRanks<T::Key>, b: ExtremeRanks<T::Key>) -> ExtremeRanks<T::Key> {
        ExtremeRanks { low: a.low.min(b.low), high: a.high.min(b.high) }
    }
    #[inline(always)]
    fn accumulate(&self, elements: &[T], _: u64) -> ExtremeRanks<T::Key> {
        let (low, high) = T::ends(elements).map_or((T::Key::LEAST, T::Key::LEAST), |(least, most)| (least, !most));
        ExtremeRanks { low, high }
    }
    fn wgsl(&self) -> Wgsl {
        ends_wgsl::<T>(T::DTYPE)
    }
    fn device_over(&self, _: Keep, read: Dtype) -> Device {
        Device::Value(ends_wgsl::<T>(read))
    }
}

/// The WGSL of a fold into [`ExtremeRanks`], where elements are read as they are or are of a narrower type.
fn ends_wgsl<T: Scalar>(read: Dtype) -> Wgsl {
    let wgsl = match T::Key::WORDS {
        1 => Wgsl::new(
            "return Acc(0xffffffffu, 0xffffffffu);",
            "return Acc(low_rank(bits), high_rank(bits));",
            "return Acc(min(a.low, b.low), min(a.high, b.high));",
        )
        .cell(2, [include_str!("../../shaders/cells/ends.wgsl")]),
        _ => Wgsl::new(
            "return Acc(0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu);",
            "let low = low_rank(bits);\nlet high = high_rank(bits);\nreturn Acc(low.x, low.y, high.x, high.y);",
            "let lower = less64(vec2<u32>(b.low, b.low_high), vec2<u32>(a.low, a.low_high));
let higher = less64(vec2<u32>(b.high, b.high_high), vec2<u32>(a.high, a.high_high));
return Acc(select(a.low, b.low, lower), select(a.low_high, b.low_high, lower),
    select(a.high, b.high, higher), select(a.high_high, b.high_high, higher));",
        ),
    };
    let wgsl = wgsl.helpers(End::Low.wgsl::<T>("low_")).helpers(End::High.wgsl::<T>("high_")).checked();
    let wgsl = match (packed_floats(End::Low, read), packed_integers(End::Low, read)) {
        (Some(texts), _) => wgsl.reading(texts).reading([include_str!("../../shaders/extreme/ends_of_halves.wgsl")]),
        // Halves have two in a word, which take as long one by one.
        (_, Some((texts, 8))) => {
            wgsl.reading(texts).reading([include_str!("../../shaders/extreme/ends_of_bytes.wgsl")])
        }
        _ => return wgsl,
    };
    let wgsl = wgsl.reading([include_str!("../../shaders/extreme/ends.wgsl")]);
    packed(wgsl, read, "return combine(acc, ends_of_load(vector));")
}

impl<T: Scalar> Op<T> for MinMax {
    type Fold = MinMax;
    type Output = Option<(T, T)>;
    const NAME: &'static str = "minmax";
    const ABOUT: &'static str = "Smallest and largest element";
    const EXACT: bool = true;

    fn fold(&self) -> MinMax {
        MinMax
    }
    fn finish(&self, acc: ExtremeRanks<T::Key>, count: u64) -> Result<Option<(T, T)>> {
        Ok((count > 0).then(|| acc.elements()))
    }
    fn answer(&self) -> Option<DeviceAnswer> {
        let words = words_of::<T>("min").into_iter().chain(words_of::<T>("max"));
        Some(DeviceAnswer::checked(
            words,
            match T::Key::WORDS {
                1 => "return array<u32, 2>(low_unrank(acc.low), high_unrank(acc.high));",
                _ => {
                    "let low = low_unrank(vec2<u32>(acc.low, acc.low_high));
let high = high_unrank(vec2<u32>(acc.high, acc.high_high));
return array<u32, 4>(low.x, low.y, high.x, high.y);"
                }
            },
        ))
    }
    fn read(&self, words: &[u32], count: u64) -> Result<Option<(T, T)>> {
        let (low, high) = words.split_at(T::Key::WORDS.min(words.len()));
        Ok((count > 0).then(|| (element_of(low), element_of(high))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::half::f16;

    /// Every length around a vector's, with each of these at each place, against the ranks one after another.
    fn check<T: Scalar>(plain: [T; 3], specials: &[T]) {
        for n in (0..=40).chain([63, 64, 65, 129]) {
            let mut elements: Vec<T> = (0..n).map(|at| plain[at % 3]).collect();
            for place in 0..n.max(1) {
                for (&a, &b) in specials.iter().zip(specials.iter().cycle().skip(place % specials.len())) {
                    let kept = elements.clone();
                    if n > 0 {
                        (elements[place], elements[(place * 7 + 3) % n]) = (a, b);
                    }
                    for end in [End::Low, End::High] {
                        let want = elements.iter().map(|&x| end.rank(x)).min().unwrap_or(T::Key::MOST);
                        assert_eq!(lowest_rank(end, &elements), want, "{end:?} of {elements:?}");
                    }
                    let nothing = Fold::<T>::identity(&MinMax);
                    let want =
                        elements.iter().fold(nothing, |all, &x| Fold::<T>::combine(&MinMax, all, MinMax.lift(x, 0)));
                    assert_eq!(MinMax.accumulate(&elements, 0), want, "{elements:?}");
                    elements = kept;
                }
            }
        }
    }

    #[test]
    fn slices_have_the_lowest_of_their_ranks() {
        let floats =
            [0.0, -0.0, f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e-45, -1e-45, f32::MAX, f32::MIN];
        let doubles = floats.map(f64::from).into_iter().chain([5e-324, -5e-324, f64::MAX, f64::MIN]);
        let halves = floats.into_iter().map(f16::from_f32).chain([1, 0x8001, 0x7bff, 0xfbff].map(f16::from_bits));
        let halves: Vec<f16> = halves.collect();
        for sign in [1.0, -1.0] {
            check([1.0, 2.5, 1.5].map(|x: f32| sign * x), &floats);
            check([1.0, 2.5, 1.5].map(|x: f64| f64::from(sign) * x), &doubles.clone().collect::<Vec<f64>>());
            check([1.0, 2.5, 1.5].map(|x: f32| f16::from_f32(sign * x)), &halves);
            for zero in [0.0, -0.0] {
                check([zero, sign, sign], &floats);
                check([zero; 3], &floats);
            }
        }
        check([3, -4, 5], &[i32::MIN, i32::MAX, 0, -1]);
        check([3u64, 4, 5], &[u64::MIN, u64::MAX, 1 << 63]);
    }
}
