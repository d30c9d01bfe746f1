//! Where the extremes are, the first and the last: the lowest rank ([`extreme`](super::extreme)) and its place.

use super::extreme::{End, lowest_rank, packed, packed_floats, packed_integers, words_of};
use super::located::{Found, Located, before_wgsl, moved_wgsl, place_order};
use crate::element::{OrderKey, Scalar};
use crate::op::WordType;
use crate::{DeviceAnswer, Dtype, Wgsl};

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
            fn accumulate_columns(
                &self,
                columns: &crate::element::Columns<'_, T>,
                index: u64,
                accs: &mut Vec<Located<T::Key>>,
            ) {
                crate::op::few_by_rows(self, columns, index, accs);
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
            fn picks(&self) -> bool {
                true
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
