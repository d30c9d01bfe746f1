//! What minimum, maximum, both, and where they are have in common: all are on keys, integers that order as the elements do.
//!
//! One rule serves them all: *the lowest rank wins*. For a minimum the rank of an element is its key, for a maximum the
//! key's complement; a NaN has rank 0 and so beats everything; no element at all has the highest rank, which no float has.
//! Ranks of elements of 64 bits are two words.

use crate::element::{OrderKey, Scalar};
use crate::op::{Member, Text, WordType, join, split};
use crate::{Accumulator, DeviceAnswer, Dtype, Wgsl};

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
pub(super) fn packed_floats(end: End, read: Dtype) -> Option<Vec<Text>> {
    let of = match read {
        Dtype::F16 => include_str!("../../shaders/extreme/f16.wgsl"),
        Dtype::BF16 => include_str!("../../shaders/extreme/bf16.wgsl"),
        _ => return None,
    };
    Some(vec![flip(end, 0).into(), of.into(), include_str!("../../shaders/extreme/float_halves.wgsl").into()])
}

/// The same of integers, several to a word, as constants, and how many bits each has.
pub(super) fn packed_integers(end: End, read: Dtype) -> Option<(Vec<Text>, u32)> {
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
pub(super) fn packed(wgsl: Wgsl, read: Dtype, body: &'static str) -> Wgsl {
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
            fn accumulate_columns(&self, columns: &crate::element::Columns<'_, T>, index: u64, accs: &mut Vec<Rank<T::Key>>) {
                crate::op::by_rows(self, columns, index, accs);
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
            fn picks(&self) -> bool {
                true
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fold;
    use crate::half::f16;
    use crate::ops::MinMax;

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
