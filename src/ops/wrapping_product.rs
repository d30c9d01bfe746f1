//! The product of integers in their own type.

use crate::element::Scalar;
use crate::op::{WordType, join};
use crate::{DeviceAnswer, Fold, Op, Result, Wgsl};

/// The product of integers in their own type, which wraps around where it does not fit: [`Product`](super::Product) says so in place of it.
///
/// - **Order**: commutative. **Empty**: 1.
/// - **On the device**: 1 word, or 2 (low, high) of 64 bits.
///
/// ```
/// use treefold::{Cpu, ops::WrappingProduct};
/// assert_eq!(Cpu::new().reduce(WrappingProduct, &[1u32 << 31, 3])?, 1 << 31);
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct WrappingProduct;

macro_rules! wrapping_product {
    ($($type:ty),+) => {$(
        impl Fold<$type> for WrappingProduct {
            type Acc = <$type as Scalar>::Key;

            #[inline(always)]
            fn identity(&self) -> Self::Acc {
                1
            }
            #[inline(always)]
            fn lift(&self, x: $type, _: u64) -> Self::Acc {
                x as <$type as Scalar>::Key
            }
            #[inline(always)]
            fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc {
                a.wrapping_mul(b)
            }
            fn wgsl(&self) -> Wgsl {
                let wgsl = match <$type>::BITS {
                    32 => Wgsl::new("return 1u;", "return bits;", "return a * b;"),
                    _ => Wgsl::new(
                        "return Acc(1u, 0u);",
                        "return Acc(bits.x, bits.y);",
                        "let low = multiply32(a.low, b.low);\nreturn Acc(low.x, low.y + a.low * b.high + a.high * b.low);",
                    ),
                };
                wgsl.checked()
            }
        }

        impl Op<$type> for WrappingProduct {
            type Fold = WrappingProduct;
            type Output = $type;
            const NAME: &'static str = "wrapping_product";
            const ABOUT: &'static str = "Product of integers in their own type, which wraps";
            const EXACT: bool = true;

            fn fold(&self) -> WrappingProduct {
                WrappingProduct
            }
            fn finish(&self, acc: crate::Acc<$type, Self>, _: u64) -> Result<$type> {
                Ok(acc as $type)
            }
            fn answer(&self) -> Option<DeviceAnswer> {
                Some(match <$type>::BITS {
                    32 => {
                        let of = if <$type>::MIN == 0 { WordType::U32 } else { WordType::I32 };
                        DeviceAnswer::checked([("wrapping_product", of)], "return array<u32, 1>(acc);")
                    }
                    _ => DeviceAnswer::checked(
                        [("low", WordType::Part), ("high", WordType::Part)],
                        "return array<u32, 2>(acc.low, acc.high);",
                    ),
                })
            }
            fn read(&self, words: &[u32], _: u64) -> Result<$type> {
                Ok(join(words.get(..<$type>::BITS as usize / 32).unwrap_or(words)) as $type)
            }
        }
    )+};
}

wrapping_product!(i32, u32, i64, u64);
