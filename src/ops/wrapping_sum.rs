//! Sums of integers modulo 2^32 or 2^64.

use super::Sum;
use crate::op::{WordType, join};
use crate::{Acc, DeviceAnswer, Op, Result};

/// The sum of integers in their own type, which wraps where it does not fit: [`Sum`] modulo 2^32, or 2^64 of 64 bits, as NumPy's
/// `sum(dtype=…)` and CUB's with an accumulator of the elements' type.
///
/// - **Order**: commutative. **Empty**: 0. **Overflow**: wraps, in two's complement.
/// - **On the device**: 1 word, or 2 (low, high) of 64 bits.
///
/// ```
/// use treefold::{Cpu, ops::WrappingSum};
/// assert_eq!(Cpu::new().reduce(WrappingSum, &[u32::MAX, 3])?, 2);
/// assert_eq!(Cpu::new().reduce(WrappingSum, &[i64::MAX, 1])?, i64::MIN);
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct WrappingSum;

macro_rules! wrapping_sum {
    ($($type:ty),+; $words:literal, $finish:literal, $acc:ident => $low:expr) => {$(
        impl Op<$type> for WrappingSum {
            type Fold = Sum;
            type Output = $type;
            const NAME: &'static str = "wrapping_sum";
            const ABOUT: &'static str = "Sum of integers in their own type, which wraps";
            const EXACT: bool = true;

            fn fold(&self) -> Sum {
                Sum
            }
            fn finish(&self, $acc: Acc<$type, Self>, _: u64) -> Result<$type> {
                Ok($low as $type)
            }
            fn answer(&self) -> Option<DeviceAnswer> {
                let words: &[(&'static str, WordType)] = match $words {
                    1 => &[("wrapping_sum", if <$type>::MIN == 0 { WordType::U32 } else { WordType::I32 })],
                    _ => &[("low", WordType::Part), ("high", WordType::Part)],
                };
                Some(DeviceAnswer::checked(words.iter().copied(), $finish))
            }
            fn read(&self, words: &[u32], _: u64) -> Result<$type> {
                Ok(join(words.get(..$words).unwrap_or(words)) as $type)
            }
        }
    )+};
}

wrapping_sum!(i32, u32; 1, "return array<u32, 1>(acc.low);", acc => acc.total());
wrapping_sum!(i64, u64; 2, "return array<u32, 2>(acc.limbs[0], acc.limbs[1]);", acc => acc.low());
