//! Arithmetic mean.

use super::sum::{SUM_F32_WGSL, Sum, SumF32, sum64_wgsl};
use super::wide::Sum64;
use crate::{Op, Result};

/// The arithmetic mean.
///
/// - **Integers**: the exact 64-bit sum, then one division in f64. **f32**: the sum of [`Sum`], divided once.
/// - **Order**: commutative. **Empty**: `None`. **NaN and infinities**: as for [`Sum`].
/// - **On the device**: 1 word, an f32; from integers it is within 4 units in the last place.
///
/// ```
/// use treefold::{Cpu, ops::Mean};
/// let cpu = Cpu::new();
/// assert_eq!(cpu.reduce(Mean, &[1i32, 2, 4])?, Some(7.0f64 / 3.0));
/// assert_eq!(cpu.reduce(Mean, &[1.0f32, 2.0])?, Some(1.5f32));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Mean;

impl Op<f32> for Mean {
    type Acc = SumF32;
    type Output = Option<f32>;
    const ANSWER_WORDS: usize = 1;
    const ABOUT: &'static str = "Arithmetic mean";

    fn name(&self) -> &'static str {
        "mean"
    }
    #[inline(always)]
    fn identity(&self) -> SumF32 {
        Op::<f32>::identity(&Sum)
    }
    #[inline(always)]
    fn lift(&self, x: f32, index: u64) -> SumF32 {
        Sum.lift(x, index)
    }
    #[inline(always)]
    fn combine(&self, a: SumF32, b: SumF32) -> SumF32 {
        Op::<f32>::combine(&Sum, a, b)
    }
    #[inline(always)]
    fn fold(&self, elements: &[f32], _: u64) -> SumF32 {
        SumF32::of(elements)
    }
    fn finish(&self, acc: SumF32, count: u64) -> Result<Option<f32>> {
        Ok((count > 0).then(|| (f64::from(acc.value()) / count as f64) as f32))
    }
    fn wgsl(&self) -> String {
        format!(
            "{SUM_F32_WGSL}
fn finish(acc: Acc, count: vec2<u32>) -> array<u32, 1> {{
    let bits = sum_bits(acc);
    if (bits & 0x7f800000u) == 0x7f800000u || (bits & 0x7fffffffu) == 0u {{ return array<u32, 1>(bits); }}
    return array<u32, 1>(bitcast<u32>(bitcast<f32>(bits) / float64(count)));
}}"
        )
    }
}

macro_rules! integer_mean {
    ($type:ty, $wide:ty, $mean:literal) => {
        impl Op<$type> for Mean {
            type Acc = Sum64<$wide>;
            type Output = Option<f64>;
            const ANSWER_WORDS: usize = 1;
            const ABOUT: &'static str = "Arithmetic mean";
            const ELEMENTS_MAX: u64 = <Sum as Op<$type>>::ELEMENTS_MAX;

            fn name(&self) -> &'static str {
                "mean"
            }
            #[inline(always)]
            fn identity(&self) -> Sum64<$wide> {
                Sum64::ZERO
            }
            #[inline(always)]
            fn lift(&self, x: $type, index: u64) -> Sum64<$wide> {
                Sum.lift(x, index)
            }
            #[inline(always)]
            fn combine(&self, a: Sum64<$wide>, b: Sum64<$wide>) -> Sum64<$wide> {
                a + b
            }
            fn finish(&self, acc: Sum64<$wide>, count: u64) -> Result<Option<f64>> {
                Ok((count > 0).then(|| acc.total() as f64 / count as f64))
            }
            fn wgsl(&self) -> String {
                sum64_wgsl::<$type>()
                    + concat!(
                        "fn finish(acc: Acc, count: vec2<u32>) -> array<u32, 1> {\n",
                        $mean,
                        "    return array<u32, 1>(bitcast<u32>(mean));\n}"
                    )
            }
            #[inline(always)]
            fn fold(&self, elements: &[$type], _: u64) -> Sum64<$wide> {
                Sum64::of(elements)
            }
        }
    };
}

integer_mean!(
    i32,
    i64,
    "    let negative = acc.high >> 31u == 1u;
    let minus = add64(vec2<u32>(~acc.low, ~acc.high), vec2<u32>(1u, 0u));
    let size = float64(select(vec2<u32>(acc.low, acc.high), minus, negative)) / float64(count);
    let mean = select(size, -size, negative);
"
);
integer_mean!(u32, u64, "    let mean = float64(vec2<u32>(acc.low, acc.high)) / float64(count);\n");
