//! Arithmetic mean: the exact sum and one division.

use super::Sum;
use super::exact::{Elements, exact_answer};
use super::rounding::Rounding;
use super::fast_sum::near;
use super::wide::Sum64;
use crate::exact::ratio;
use crate::half::f16;
use crate::op::WordType;
use crate::{DeviceAnswer, Op, Result};

/// The arithmetic mean, over the fold of [`Sum`].
///
/// - **f32, f16, f64**: as if computed in real numbers and rounded once to nearest, ties to even: an f32, of f64 an f64. The
///   same bits on every adapter. **Integers**: the exact sum divided by n, rounded once to f64.
/// - **Complex numbers**: both parts so, each on its own.
/// - **Order**: commutative. **Empty**: `None`. **NaN, infinities, zeros**: as for [`Sum`].
/// - **On the device**: floats 1 word; f64, i64, u64 2 words (low, high), an f64, rounded there; i32, u32 1 word, an f32 within 4
///   units in the last place.
///
/// ```
/// use treefold::{Cpu, ops::Mean};
/// let cpu = Cpu::new();
/// assert_eq!(cpu.reduce(Mean, &[f32::MAX, f32::MAX])?, Some(f32::MAX));
/// assert_eq!(cpu.reduce(Mean, &[1i32, 2, 4])?, Some(7.0f64 / 3.0));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Mean;

exact_answer!(Mean = "mean" over f32, Sum, Elements, "Arithmetic mean, rounded once", Option<f32>, f32, Some(Rounding::MEAN), |unit| unit,
    |acc, count| |unit| (count > 0).then(|| acc.quotient(unit, count, count)), |value, count| (count > 0).then_some(value));
exact_answer!(Mean = "mean" over f16, Sum, Elements, "Arithmetic mean, rounded once", Option<f32>, f32, Some(Rounding::MEAN), |unit| unit,
    |acc, count| |unit| (count > 0).then(|| acc.quotient(unit, count, count)), |value, count| (count > 0).then_some(value));
exact_answer!(Mean = "mean" over f64, Sum, Elements, "Arithmetic mean, rounded once", Option<f64>, f64, Some(Rounding::MEAN_F64), |unit| unit,
    |acc, count| |unit| (count > 0).then(|| acc.quotient(unit, count, count)), |value, count| (count > 0).then_some(value));

exact_answer!(Mean = "mean" over i64, Sum, Elements, "Arithmetic mean, rounded once", Option<f64>, f64, Some(Rounding::MEAN_F64), |unit| unit,
    |acc, count| |unit| (count > 0).then(|| acc.quotient(unit, count, count)), |value, count| (count > 0).then_some(value));
exact_answer!(Mean = "mean" over u64, Sum, Elements, "Arithmetic mean, rounded once", Option<f64>, f64, Some(Rounding::MEAN_F64), |unit| unit,
    |acc, count| |unit| (count > 0).then(|| acc.quotient(unit, count, count)), |value, count| (count > 0).then_some(value));

macro_rules! integer_mean {
    ($type:ty, $wide:ty, $mean:literal) => {
        impl Op<$type> for Mean {
            type Fold = Sum;
            type Output = Option<f64>;
            const NAME: &'static str = "mean";
            const ABOUT: &'static str = "Arithmetic mean, rounded once";
            const EXACT: bool = true;

            fn fold(&self) -> Sum {
                Sum
            }
            fn finish(&self, acc: Sum64<$wide>, count: u64) -> Result<Option<f64>> {
                Ok((count > 0).then(|| ratio(acc.total(), count)))
            }
            fn answer(&self) -> Option<DeviceAnswer> {
                let finish = concat!($mean, "return array<u32, 1>(bitcast<u32>(mean));");
                Some(DeviceAnswer::checked([("mean", WordType::F32)], finish))
            }
            fn read(&self, words: &[u32], count: u64) -> Result<Option<f64>> {
                Ok((count > 0).then(|| f32::from_bits(words[0]).into()))
            }
            fn close(&self, device: &Option<f64>, host: &Option<f64>, _: &[$type], finished: bool) -> bool {
                let (Some(device), Some(host)) = (device, host) else { return device.is_none() && host.is_none() };
                near(*device, *host, if finished { 5e-7 * host.abs() } else { 0.0 })
            }
        }
    };
}

integer_mean!(
    i32,
    i64,
    "let negative = acc.high >> 31u == 1u;
let minus = add64(vec2<u32>(~acc.low, ~acc.high), vec2<u32>(1u, 0u));
let size = float64(select(vec2<u32>(acc.low, acc.high), minus, negative)) / float64(count);
let mean = select(size, -size, negative);
"
);
integer_mean!(u32, u64, "let mean = float64(vec2<u32>(acc.low, acc.high)) / float64(count);\n");
