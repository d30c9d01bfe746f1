//! The divisors of a softmax: over the fold of log-sum-exp.

use super::LogSumExp;
use super::doubles::Doubles;
use super::fast_sum::near;
use super::logsumexp::{PeakedSum, answered};
use crate::op::WordType;
use crate::{Answer, DeviceAnswer, Op, Part, Result};

/// The largest term and the sum of the others relative to it: what a softmax divides by, exp(scale·x - max) / sum.
///
/// - **scale**, **Rounding**, **Order**: as for [`LogSumExp`]. **Empty**: `None`. **NaN**: both are NaN. **Infinities**: where a term is +inf, max is,
///   and sum is NaN; where all are -inf, max is -inf and sum 0.
/// - **On the device**: f32 2 words (max, sum). f64 on the CPU engine alone.
///
/// ```
/// use treefold::{Cpu, ops::SoftmaxTerms};
/// let found = Cpu::new().reduce(SoftmaxTerms::default(), &[1000.0f32, 1000.0, -1000.0])?;
/// assert_eq!(found.map(|found| (found.max, found.sum)), Some((1000.0, 2.0)));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SoftmaxTerms {
    /// A factor of every element.
    pub scale: f64,
}

impl Default for SoftmaxTerms {
    fn default() -> Self {
        SoftmaxTerms { scale: 1.0 }
    }
}

/// The answer of [`SoftmaxTerms`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PeakAndSum<F> {
    /// The largest term, scale·x.
    pub max: F,
    /// Σ exp(scale·x - max).
    pub sum: F,
}

impl<F: Copy + Into<crate::Value>> Answer for Option<PeakAndSum<F>> {
    fn parts(&self) -> Vec<Part> {
        vec![Part::new("max", self.map(|found| found.max)), Part::new("sum", self.map(|found| found.sum))]
    }
}

impl Op<f32> for SoftmaxTerms {
    type Fold = LogSumExp;
    type Output = Option<PeakAndSum<f32>>;
    const NAME: &'static str = "softmax_terms";
    const ABOUT: &'static str = "Largest term and Σ exp(scale·x - max): what a softmax divides by";

    fn signature(&self) -> String {
        format!("softmax_terms(scale={})", self.scale)
    }
    fn fold(&self) -> LogSumExp {
        LogSumExp { scale: self.scale }
    }
    fn finish(&self, acc: PeakedSum, count: u64) -> Result<Self::Output> {
        Ok((count > 0).then(|| acc.answered()))
    }
    fn answer(&self) -> Option<DeviceAnswer> {
        let finish = "if (acc.flags & 1u) != 0u { return array<u32, 2>(0x7fc00000u, 0x7fc00000u); }
if (acc.flags & 2u) != 0u { return array<u32, 2>(0x7f800000u, 0x7fc00000u); }
if acc.sum == 0.0 { return array<u32, 2>(0xff800000u, 0u); }
return array<u32, 2>(bitcast<u32>(acc.peak), bitcast<u32>(acc.sum));";
        Some(DeviceAnswer::checked([("max", WordType::F32), ("sum", WordType::F32)], finish))
    }
    fn read(&self, words: &[u32], count: u64) -> Result<Self::Output> {
        Ok((count > 0).then(|| PeakAndSum { max: f32::from_bits(words[0]), sum: f32::from_bits(words[1]) }))
    }
    fn close(&self, device: &Self::Output, host: &Self::Output, elements: &[f32], _: bool) -> bool {
        let (Some(device), Some(host)) = (device, host) else { return device.is_none() && host.is_none() };
        let slack = 1e-5 + 2.0 * elements.len() as f64 * f64::from(f32::EPSILON);
        // A device may take subnormals for zeros.
        let slack_of_max = 1e-6 * f64::from(host.max.abs()) + f64::from(f32::MIN_POSITIVE);
        let peaks = device.max == host.max || near(device.max.into(), host.max.into(), slack_of_max);
        // Terms are apart by the rounding of a large peak.
        let apart = 1e-6 * f64::from(host.max.abs());
        peaks && near(device.sum.into(), host.sum.into(), f64::from(host.sum) * (slack + apart.exp_m1()))
    }
}

impl Op<f64> for SoftmaxTerms {
    type Fold = LogSumExp;
    type Output = Option<PeakAndSum<f64>>;
    const NAME: &'static str = "softmax_terms";
    const ABOUT: &'static str = <SoftmaxTerms as Op<f32>>::ABOUT;

    fn signature(&self) -> String {
        Op::<f32>::signature(self)
    }
    fn fold(&self) -> LogSumExp {
        LogSumExp { scale: self.scale }
    }
    fn finish(&self, acc: Doubles<3>, count: u64) -> Result<Self::Output> {
        Ok((count > 0).then(|| answered(acc)))
    }
}
