//! Sum: as if computed in real numbers and rounded once, exact in 64 or 128 bits for integers.

use super::exact::{Elements, exact_answer, exact_fold};
use super::rounding::Rounding;
use super::wide::{Sum64, sum64_answer, sum64_wgsl};
use crate::element::{Columns, Dtype, Element, Word};
use crate::exact::LongAccumulator;
use crate::half::f16;
use crate::op::{Device, Keep, WordType, join};
use crate::{DeviceAnswer, Error, Fold, Op, Result, Wgsl};

/// The sum of all elements, exact.
///
/// - **f32, f16, f64**: as if computed in real numbers and rounded once to nearest, ties to even: an f32, of f64 an f64. The
///   same bits on every adapter, whatever the order, the launch shape, the parts and the version; f64 needs no `SHADER_F64`.
/// - **i32, u32**: the exact sum as `i64` or `u64`; [`Error::Overflow`] where it does not fit, never a silent wrap.
///   **i64, u64**: as `i128` or `u128`, on every adapter: kernels read two words.
/// - **Complex numbers**: both parts so, each on its own.
/// - **Order**: commutative; partial sums merge in any order. **Empty**: 0.
/// - **NaN and infinities**: NaN if there is a NaN, or both infinities; else the infinity.
/// - **Zero**: a sum of only -0 is -0, every other zero sum is +0. **Subnormals** count in full. **Overflow** is that of the
///   rounded result alone: max + max - max is max.
/// - **On the device**: floats 1 word, f64 2 words (low, high), rounded there; i32, u32: 2 words (low, high), exact up to 2^32
///   elements; i64, u64: 4 words, low word first.
///
/// ```
/// use treefold::{Cpu, ops::Sum};
/// let cpu = Cpu::new();
/// assert_eq!(cpu.reduce(Sum, &[16_777_216.0f32, 1.0, -16_777_216.0])?, 1.0);
/// assert_eq!(cpu.reduce(Sum, &[f32::MAX, f32::MAX, -f32::MAX])?, f32::MAX);
/// assert_eq!(cpu.reduce(Sum, &[0.1f64; 10])?, 1.0);
/// assert_eq!(cpu.reduce(Sum, &[u32::MAX, u32::MAX])?, 8_589_934_590u64);
/// # Ok::<(), treefold::Error>(())
/// ```
///
/// Source: Kulisch's long accumulator; bins by exponent as in Neal's superaccumulators (2015), in workgroup memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum;

exact_fold!(Sum over f32, f16, f64; Elements, tested: true);
exact_fold!(Sum over i64, u64; Elements, tested: false);
exact_answer!(Sum = "sum" over f32, Sum, Elements, "Sum, rounded once; exact for integers", f32, f32, Some(Rounding::SUM), |unit| unit,
    |acc, count| |unit| acc.quotient(unit, 1, count), |value, _count| value);
exact_answer!(Sum = "sum" over f16, Sum, Elements, "Sum, rounded once; exact for integers", f32, f32, Some(Rounding::SUM), |unit| unit,
    |acc, count| |unit| acc.quotient(unit, 1, count), |value, _count| value);
exact_answer!(Sum = "sum" over f64, Sum, Elements, "Sum, rounded once; exact for integers", f64, f64, Some(Rounding::SUM_F64), |unit| unit,
    |acc, count| |unit| acc.quotient(unit, 1, count), |value, _count| value);

/// The WGSL of an exact integer sum in two words, where elements are read as they are or are of a narrower type; a signed one brings its sign along.
fn integer_wgsl<T: Word>(read: Dtype) -> Wgsl {
    let lift = match T::DTYPE {
        Dtype::I32 => "return Acc(bits, bitcast<u32>(bitcast<i32>(bits) >> 31u));",
        _ => "return Acc(bits, 0u);",
    };
    let wgsl = sum64_wgsl(lift);
    let (signs, excess) = match read {
        Dtype::U8 => (0, 0),
        Dtype::I8 => (0x8080_8080u32, 16 * 128),
        _ => return wgsl,
    };
    let constants = format!("const FLIP = {signs:#x}u;\nconst EXCESS = {excess}u;\n");
    wgsl.reading([constants.as_str(), include_str!("../../shaders/vector/sum_of_bytes.wgsl")].map(String::from)).load(
        "let sum = sum_of_bytes(vector);\nreturn combine(acc, Acc(sum, bitcast<u32>(bitcast<i32>(sum) >> 31u)));",
    )
}

macro_rules! integer_sum {
    ($type:ty, $wide:ty) => {
        impl Fold<$type> for Sum {
            type Acc = Sum64<$wide>;
            const ELEMENTS_MAX: u64 = 1 << 32;

            #[inline(always)]
            fn identity(&self) -> Sum64<$wide> {
                Sum64::ZERO
            }
            #[inline(always)]
            fn lift(&self, x: $type, _: u64) -> Sum64<$wide> {
                Sum64::new(i128::from(x))
            }
            #[inline(always)]
            fn combine(&self, a: Sum64<$wide>, b: Sum64<$wide>) -> Sum64<$wide> {
                a + b
            }
            #[inline(always)]
            fn accumulate(&self, elements: &[$type], _: u64) -> Sum64<$wide> {
                Sum64::of(elements)
            }
            fn accumulate_columns(&self, columns: &Columns<'_, $type>, index: u64, accs: &mut Vec<Sum64<$wide>>) {
                crate::op::by_rows(self, columns, index, accs);
            }
            fn wgsl(&self) -> Wgsl {
                integer_wgsl::<$type>(<$type as Element>::DTYPE)
            }
            fn device_over(&self, _: Keep, read: Dtype) -> Device {
                Device::Value(integer_wgsl::<$type>(read))
            }
        }

        impl Op<$type> for Sum {
            type Fold = Sum;
            type Output = $wide;
            const NAME: &'static str = "sum";
            const ABOUT: &'static str = "Sum, rounded once; exact for integers";
            const EXACT: bool = true;

            fn fold(&self) -> Sum {
                Sum
            }
            fn finish(&self, acc: Sum64<$wide>, _: u64) -> Result<$wide> {
                <$wide>::try_from(acc.total()).map_err(|_| Error::Overflow { operator: "sum", bits: 64 })
            }
            fn answer(&self) -> Option<DeviceAnswer> {
                Some(sum64_answer())
            }
            fn read(&self, words: &[u32], _: u64) -> Result<$wide> {
                Ok(join(words) as $wide)
            }
        }
    };
}

integer_sum!(i32, i64);
integer_sum!(u32, u64);

macro_rules! wide_sum {
    ($type:ty, $wide:ty) => {
        impl Op<$type> for Sum {
            type Fold = Sum;
            type Output = $wide;
            const NAME: &'static str = "sum";
            const ABOUT: &'static str = "Sum, rounded once; exact for integers";
            const EXACT: bool = true;

            fn fold(&self) -> Sum {
                Sum
            }
            fn finish(&self, acc: LongAccumulator<4>, _: u64) -> Result<$wide> {
                Ok(acc.low() as $wide)
            }
            fn answer(&self) -> Option<DeviceAnswer> {
                let words = ["word 0", "word 1", "word 2", "word 3"].map(|name| (name, WordType::Part));
                Some(DeviceAnswer::checked(words, "return acc.limbs;"))
            }
            fn read(&self, words: &[u32], _: u64) -> Result<$wide> {
                Ok(words.iter().take(4).rev().fold(0, |all: u128, &word| all << 32 | u128::from(word)) as $wide)
            }
        }
    };
}

wide_sum!(i64, i128);
wide_sum!(u64, u128);
