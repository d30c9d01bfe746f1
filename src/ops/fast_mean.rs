//! Fast mean: a fast sum, divided once.

use super::fast_sum::{FastSum, FloatSum, SUM_BITS, close_sum, slack};
use crate::op::WordType;
use crate::{DeviceAnswer, Op, Result};

/// The arithmetic mean of f32, accumulated in f32: over the fold of [`FastSum`], divided once.
///
/// - **Order**: commutative. **Empty**: `None`. **Rounding, NaN and infinities**: as for [`FastSum`].
/// - **On the device**: 1 word.
///
/// ```
/// use treefold::{Cpu, ops::FastMean};
/// assert_eq!(Cpu::new().reduce(FastMean, &[1.0f32, 2.0])?, Some(1.5));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct FastMean;

impl Op<f32> for FastMean {
    type Fold = FastSum;
    type Output = Option<f32>;
    const NAME: &'static str = "fast_mean";
    const ABOUT: &'static str = "Arithmetic mean, accumulated in f32";

    fn fold(&self) -> FastSum {
        FastSum
    }
    fn finish(&self, acc: FloatSum, count: u64) -> Result<Option<f32>> {
        Ok((count > 0).then(|| (f64::from(acc.value()) / count as f64) as f32))
    }
    fn answer(&self) -> Option<DeviceAnswer> {
        let finish = "let bits = sum_bits(acc);
if ((bits & 0x7f800000u) == 0x7f800000u) | ((bits & 0x7fffffffu) == 0u) { return array<u32, 1>(bits); }
return array<u32, 1>(bitcast<u32>(bitcast<f32>(bits) / float64(count)));";
        Some(DeviceAnswer::checked([("mean", WordType::F32)], finish).helpers(SUM_BITS))
    }
    fn read(&self, words: &[u32], count: u64) -> Result<Option<f32>> {
        Ok((count > 0).then(|| f32::from_bits(words[0])))
    }
    fn close(&self, device: &Option<f32>, host: &Option<f32>, elements: &[f32], _: bool) -> bool {
        let (Some(device), Some(host)) = (device, host) else { return device.is_none() && host.is_none() };
        let slack = slack(elements) / (elements.len() as f64) + f64::from(host.abs().min(f32::MAX)) * f64::from(f32::EPSILON);
        close_sum((*device).into(), (*host).into(), slack + f64::from(f32::MIN_POSITIVE), elements)
    }
}
