//! Minimum and maximum in one read.

use super::extreme::{End, element_of, packed, packed_floats, packed_integers, words_of};
use crate::element::{Columns, OrderKey, Scalar};
use crate::op::{Device, Keep, Member, join, split};
use crate::{Accumulator, DeviceAnswer, Dtype, Fold, Op, Result, Wgsl};

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
    fn accumulate_columns(&self, columns: &Columns<'_, T>, index: u64, accs: &mut Vec<ExtremeRanks<T::Key>>) {
        crate::op::by_rows(self, columns, index, accs);
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
    fn picks(&self) -> bool {
        true
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
