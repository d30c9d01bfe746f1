//! Log-sum-exp: a sum of exponentials that cannot overflow.

use super::doubles::{Doubles, NO_FUNCTIONS, no_wgsl};
use super::fast_sum::near;
use super::softmax::PeakAndSum;
use crate::op::WordType;
use crate::{DeviceAnswer, Fold, Op, Result, Wgsl, accumulator};

/// log Σ exp(scale·x) of f32 or f64, stable at any range: the largest term is taken out before anything is exponentiated.
///
/// - **scale**: a factor of every element; 1 unless set; over f32 rounded to it.
/// - **Rounding**: terms are summed in f32 in a fixed tree; the error of the answer is about n·2^-24 at most, absolute, beside
///   that of the device's exp and log.
/// - **Order**: commutative. **Empty**: `None`. **NaN**: NaN if there is one. **Infinities**: -inf where all terms are -inf;
///   +inf if one is.
/// - **f64**: in f64, an f64, within about 10^-15; on the CPU engine alone.
/// - **On the device**: f32 1 word.
///
/// ```
/// use treefold::{Cpu, ops::LogSumExp};
/// let lse = Cpu::new().reduce(LogSumExp::default(), &[1000.0f32, 1000.0])?.unwrap_or(0.0);
/// assert!((lse - 1000.693_1).abs() < 1e-3);
/// # Ok::<(), treefold::Error>(())
/// ```
///
/// Source: the online softmax of Milakov and Gimelshein (2018).
#[derive(Clone, Copy, Debug)]
pub struct LogSumExp {
    /// A factor of every element.
    pub scale: f64,
}

impl Default for LogSumExp {
    fn default() -> Self {
        LogSumExp { scale: 1.0 }
    }
}

accumulator! {
    /// Terms as a peak and their sum relative to it.
    pub struct PeakedSum {
        /// The largest finite term; the lowest f32 of none.
        peak: f32,
        /// Σ exp(term - peak).
        sum: f32,
        /// Bit 0: a NaN. Bit 1: +inf.
        flags: u32,
    }
}

const NAN: u32 = 1;
const INFINITE: u32 = 2;

impl PeakedSum {
    const NONE: PeakedSum = PeakedSum { peak: f32::MIN, sum: 0.0, flags: 0 };

    #[inline(always)]
    fn of(term: f32) -> PeakedSum {
        match term {
            _ if term.is_nan() => PeakedSum { flags: NAN, ..PeakedSum::NONE },
            f32::INFINITY => PeakedSum { flags: INFINITE, ..PeakedSum::NONE },
            f32::NEG_INFINITY => PeakedSum::NONE,
            _ => PeakedSum { peak: term, sum: 1.0, flags: 0 },
        }
    }

    #[inline(always)]
    fn merge(self, other: PeakedSum) -> PeakedSum {
        let peak = self.peak.max(other.peak);
        let sum = self.sum * (self.peak - peak).exp() + other.sum * (other.peak - peak).exp();
        PeakedSum { peak, sum, flags: self.flags | other.flags }
    }

    /// The peak and the sum as they are answered.
    pub(super) fn answered(self) -> PeakAndSum<f32> {
        match self {
            PeakedSum { flags, .. } if flags & NAN != 0 => PeakAndSum { max: f32::NAN, sum: f32::NAN },
            PeakedSum { flags, .. } if flags & INFINITE != 0 => PeakAndSum { max: f32::INFINITY, sum: f32::NAN },
            PeakedSum { sum: 0.0, .. } => PeakAndSum { max: f32::NEG_INFINITY, sum: 0.0 },
            PeakedSum { peak, sum, .. } => PeakAndSum { max: peak, sum },
        }
    }
}

impl LogSumExp {
    fn factor(&self) -> f32 {
        self.scale as f32
    }
}

impl Fold<f32> for LogSumExp {
    type Acc = PeakedSum;

    fn is_heavy(&self) -> bool {
        true
    }
    #[inline(always)]
    fn identity(&self) -> PeakedSum {
        PeakedSum::NONE
    }
    #[inline(always)]
    fn lift(&self, x: f32, _: u64) -> PeakedSum {
        PeakedSum::of(self.factor() * x)
    }
    #[inline(always)]
    fn combine(&self, a: PeakedSum, b: PeakedSum) -> PeakedSum {
        a.merge(b)
    }
    #[inline(always)]
    fn accumulate(&self, elements: &[f32], _: u64) -> PeakedSum {
        let terms = elements.chunks(1024).map(|block| {
            let flags = block.iter().fold(0, |flags, &x| flags | PeakedSum::of(self.factor() * x).flags);
            let finite = block.iter().map(|x| self.factor() * x).filter(|term| term.is_finite());
            let peak = finite.clone().fold(f32::MIN, f32::max);
            PeakedSum { peak, sum: finite.map(|term| (term - peak).exp()).sum(), flags }
        });
        terms.fold(PeakedSum::NONE, PeakedSum::merge)
    }
    fn params(&self) -> Vec<u32> {
        vec![self.factor().to_bits()]
    }
    fn wgsl(&self) -> Wgsl {
        Wgsl::new(
            "return Acc(-0x1.fffffep+127, 0.0, 0u);",
            "let term = bitcast<f32>(param(0u)) * bitcast<f32>(bits);
let size = bitcast<u32>(term) & 0x7fffffffu;
// A product of a NaN, or of zero and an infinity, decided on the bits.
let magnitude = bits & 0x7fffffffu;
let nothing = (param(0u) & 0x7fffffffu) == 0u;
if (magnitude > 0x7f800000u) | (size > 0x7f800000u) | (nothing & (magnitude == 0x7f800000u)) {
    return Acc(-0x1.fffffep+127, 0.0, 1u);
}
if size == 0x7f800000u { return Acc(-0x1.fffffep+127, 0.0, select(2u, 0u, (bitcast<u32>(term) >> 31u) == 1u)); }
return Acc(term, 1.0, 0u);",
            "let peak = max(a.peak, b.peak);
return Acc(peak, a.sum * exp(a.peak - peak) + b.sum * exp(b.peak - peak), a.flags | b.flags);",
        )
        .checked().any_nan()
    }
}

impl Op<f32> for LogSumExp {
    type Fold = LogSumExp;
    type Output = Option<f32>;
    const NAME: &'static str = "logsumexp";
    const ABOUT: &'static str = "Logarithm of the sum of exponentials, log Σ exp(scale·x)";

    fn signature(&self) -> String {
        format!("logsumexp(scale={})", self.scale)
    }
    fn fold(&self) -> LogSumExp {
        *self
    }
    fn finish(&self, acc: PeakedSum, count: u64) -> Result<Option<f32>> {
        let PeakAndSum { max, sum } = acc.answered();
        Ok((count > 0).then(|| if max.is_infinite() { max } else { max + sum.ln() }))
    }
    fn answer(&self) -> Option<DeviceAnswer> {
        let finish = "if (acc.flags & 1u) != 0u { return array<u32, 1>(0x7fc00000u); }
if (acc.flags & 2u) != 0u { return array<u32, 1>(0x7f800000u); }
if acc.sum == 0.0 { return array<u32, 1>(0xff800000u); }
return array<u32, 1>(bitcast<u32>(acc.peak + log(acc.sum)));";
        Some(DeviceAnswer::checked([("logsumexp", WordType::F32)], finish))
    }
    fn read(&self, words: &[u32], count: u64) -> Result<Option<f32>> {
        Ok((count > 0).then(|| f32::from_bits(words[0])))
    }
    fn close(&self, device: &Option<f32>, host: &Option<f32>, elements: &[f32], _: bool) -> bool {
        let (Some(device), Some(host)) = (device, host) else { return device.is_none() && host.is_none() };
        let slack = 1e-6 * f64::from(host.abs()) + 2e-5 + 2.0 * elements.len() as f64 * f64::from(f32::EPSILON);
        let zeros = *device == *host;
        zeros || near((*device).into(), (*host).into(), slack)
    }
}

/// In f64: the peak, the sum relative to it, and whether there was a NaN (1) or +inf (2).
fn term(x: f64) -> Doubles<3> {
    Doubles(match x {
        _ if x.is_nan() => [f64::MIN, 0.0, 1.0],
        f64::INFINITY => [f64::MIN, 0.0, 2.0],
        f64::NEG_INFINITY => [f64::MIN, 0.0, 0.0],
        _ => [x, 1.0, 0.0],
    })
}

fn merged(Doubles([a, sum, flags]): Doubles<3>, Doubles([b, other, more]): Doubles<3>) -> Doubles<3> {
    let peak = a.max(b);
    let flags = (flags as u32 | more as u32).into();
    Doubles([peak, sum * (a - peak).exp() + other * (b - peak).exp(), flags])
}

impl Fold<f64> for LogSumExp {
    type Acc = Doubles<3>;
    const HOST_ONLY: Option<&'static str> = Some(NO_FUNCTIONS);

    fn identity(&self) -> Doubles<3> {
        Doubles([f64::MIN, 0.0, 0.0])
    }
    fn lift(&self, x: f64, _: u64) -> Doubles<3> {
        term(self.scale * x)
    }
    fn combine(&self, a: Doubles<3>, b: Doubles<3>) -> Doubles<3> {
        merged(a, b)
    }
    fn accumulate(&self, elements: &[f64], _: u64) -> Doubles<3> {
        let scale = self.scale;
        let terms = elements.chunks(1024).map(|block| {
            let flags = block.iter().fold(0, |flags, &x| flags | term(scale * x).0[2] as u32);
            let finite = block.iter().map(|x| scale * x).filter(|term| term.is_finite());
            let peak = finite.clone().fold(f64::MIN, f64::max);
            Doubles([peak, finite.map(|term| (term - peak).exp()).sum(), flags.into()])
        });
        terms.fold(Fold::<f64>::identity(self), merged)
    }
    fn params(&self) -> Vec<u32> {
        let bits = self.scale.to_bits();
        vec![bits as u32, (bits >> 32) as u32]
    }
    fn wgsl(&self) -> Wgsl {
        no_wgsl()
    }
}

/// The peak and the sum of an accumulator as they are answered.
pub(super) fn answered(Doubles([peak, sum, flags]): Doubles<3>) -> PeakAndSum<f64> {
    match flags as u32 {
        0 if sum == 0.0 => PeakAndSum { max: f64::NEG_INFINITY, sum: 0.0 },
        0 => PeakAndSum { max: peak, sum },
        2 => PeakAndSum { max: f64::INFINITY, sum: f64::NAN },
        _ => PeakAndSum { max: f64::NAN, sum: f64::NAN },
    }
}

impl Op<f64> for LogSumExp {
    type Fold = LogSumExp;
    type Output = Option<f64>;
    const NAME: &'static str = "logsumexp";
    const ABOUT: &'static str = <LogSumExp as Op<f32>>::ABOUT;

    fn signature(&self) -> String {
        Op::<f32>::signature(self)
    }
    fn fold(&self) -> LogSumExp {
        *self
    }
    fn finish(&self, acc: Doubles<3>, count: u64) -> Result<Option<f64>> {
        let PeakAndSum { max, sum } = answered(acc);
        Ok((count > 0).then(|| if max.is_infinite() { max } else { max + sum.ln() }))
    }
}
