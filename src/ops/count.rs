//! Counting the elements that hold some property.

use super::wide::{Sum64, count_answer, count_wgsl};
use crate::element::{Dtype, Scalar};
use crate::op::{WordType, join};
use crate::{DeviceAnswer, Fold, Op, Result, Wgsl};

macro_rules! counting {
    ($(#[$doc:meta])* $name:ident, $text:literal, $about:literal, $x:ident => $holds:expr, $wgsl:literal, $none:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name;

        impl<T: Scalar> Fold<T> for $name {
            type Acc = Sum64<u64>;

            #[inline(always)]
            fn identity(&self) -> Sum64<u64> {
                Sum64::ZERO
            }
            #[inline(always)]
            fn lift(&self, $x: T, _: u64) -> Sum64<u64> {
                Sum64::new(i128::from($holds))
            }
            #[inline(always)]
            fn combine(&self, a: Sum64<u64>, b: Sum64<u64>) -> Sum64<u64> {
                a + b
            }
            #[inline(always)]
            fn accumulate(&self, elements: &[T], _: u64) -> Sum64<u64> {
                let blocks = elements.chunks(1 << 16);
                Sum64::new(blocks.map(|block| i128::from(block.iter().map(|&$x| u32::from($holds)).sum::<u32>())).sum())
            }
            fn wgsl(&self) -> Wgsl {
                let lift = concat!("return Acc(select(0u, 1u, ", $wgsl, "), 0u);");
                count_wgsl(lift, T::DTYPE, if T::DTYPE == Dtype::F32 { $none } else { "" })
            }
        }

        impl<T: Scalar> Op<T> for $name {
            type Fold = $name;
            type Output = u64;
            const NAME: &'static str = $text;
            const ABOUT: &'static str = $about;
            const EXACT: bool = true;

            fn fold(&self) -> $name {
                $name
            }
            count_answer!();
        }
    };
}

counting! {
    /// Number of elements that are not zero. A NaN is not zero; -0 is.
    ///
    /// **Order**: commutative. **Empty**: 0. **On the device**: 2 words (low, high).
    ///
    /// ```
    /// use treefold::{Cpu, ops::CountNonzero};
    /// assert_eq!(Cpu::new().reduce(CountNonzero, &[0.0f32, -0.0, 2.0, f32::NAN])?, 2);
    /// # Ok::<(), treefold::Error>(())
    /// ```
    CountNonzero, "count_nonzero", "How many elements are not zero", x => x != T::ZERO, "!is_zero(bits)", ""
}

counting! {
    /// Number of elements that are NaN; 0 for integers.
    ///
    /// **Order**: commutative. **Empty**: 0. **On the device**: 2 words (low, high).
    ///
    /// ```
    /// use treefold::{Cpu, ops::CountNan};
    /// assert_eq!(Cpu::new().reduce(CountNan, &[1.0f32, f32::NAN])?, 1);
    /// # Ok::<(), treefold::Error>(())
    /// ```
    CountNan, "count_nan", "How many elements are NaN", x => x.is_nan(), "is_nan(bits)",
    "let sizes = vector & vec4<u32>(0x7fffffffu);
if max(max(sizes.x, sizes.y), max(sizes.z, sizes.w)) <= 0x7f800000u { return acc; }
"
}

/// Number of elements, NaN included.
///
/// **Order**: commutative. **Empty**: 0. **On the device**: 2 words (low, high).
///
/// ```
/// use treefold::{Cpu, ops::Count};
/// assert_eq!(Cpu::new().reduce(Count, &[0.0f32, 2.0, f32::NAN])?, 3);
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Count;

/// Whether an odd number of elements is not zero (a NaN is not): the exclusive or of truth values.
///
/// **Order**: commutative. **Empty**: false. **On the device**: 1 word, 0 or 1.
///
/// ```
/// use treefold::{Cpu, ops::Parity};
/// assert!(Cpu::new().reduce(Parity, &[0.0f32, 2.0, 3.0, -1.0])?);
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Parity;

/// An answer over how many elements are not zero, and how many there are.
macro_rules! of_counts {
    ($name:ident = $text:literal, $about:literal, $output:ty, |$nonzero:ident, $count:ident| $answer:expr, $words:expr, $finish:literal, |$read:ident| $of:expr) => {
        impl<T: Scalar> Op<T> for $name {
            type Fold = CountNonzero;
            type Output = $output;
            const NAME: &'static str = $text;
            const ABOUT: &'static str = $about;
            const EXACT: bool = true;

            fn fold(&self) -> CountNonzero {
                CountNonzero
            }
            fn finish(&self, $nonzero: Sum64<u64>, $count: u64) -> Result<$output> {
                Ok($answer)
            }
            fn answer(&self) -> Option<DeviceAnswer> {
                Some(DeviceAnswer::checked($words, $finish))
            }
            fn read(&self, $read: &[u32], _: u64) -> Result<$output> {
                Ok($of)
            }
        }
    };
}

of_counts!(Count = "count", "How many elements there are", u64, |_nonzero, count| count,
    [("low", WordType::Part), ("high", WordType::Part)], "return array<u32, 2>(count.x, count.y);", |words| join(words));
of_counts!(Parity = "parity", "Whether an odd number of elements is not zero", bool, |nonzero, _count| nonzero.total() & 1 == 1,
    [("parity", WordType::U32)], "return array<u32, 1>(acc.low & 1u);", |words| words.first().is_some_and(|&odd| odd != 0));
