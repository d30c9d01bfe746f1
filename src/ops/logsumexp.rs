//! Log-sum-exp: a sum of exponentials that cannot overflow.

use super::fast_sum::near;
use crate::op::WordType;
use crate::{DeviceAnswer, Fold, Op, Result, Wgsl, accumulator};

/// log Σ exp(scale·x), stable at any range: the largest term is taken out before anything is exponentiated.
///
/// - **scale**: a factor of every element; 1 unless set.
/// - **Rounding**: terms are summed in f32 in a fixed tree; the error of the answer is about n·2^-24 at most, absolute, beside
///   that of the device's exp and log.
/// - **Order**: commutative. **Empty**: `None`. **NaN**: NaN if there is one. **Infinities**: -inf where all terms are -inf;
///   +inf if one is.
/// - **On the device**: 1 word.
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
    pub scale: f32,
}

impl Default for LogSumExp {
    fn default() -> Self {
        LogSumExp { scale: 1.0 }
    }
}

accumulator! {
    /// Terms as a peak and their sum relative to it.
    pub struct Terms {
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

impl Fold<f32> for LogSumExp {
    type Acc = Terms;

    #[inline(always)]
    fn identity(&self) -> Terms {
        Terms { peak: f32::MIN, sum: 0.0, flags: 0 }
    }
    #[inline(always)]
    fn lift(&self, x: f32, _: u64) -> Terms {
        let term = self.scale * x;
        match term {
            _ if term.is_nan() => Terms { flags: NAN, ..self.identity() },
            f32::INFINITY => Terms { flags: INFINITE, ..self.identity() },
            f32::NEG_INFINITY => self.identity(),
            _ => Terms { peak: term, sum: 1.0, flags: 0 },
        }
    }
    #[inline(always)]
    fn combine(&self, a: Terms, b: Terms) -> Terms {
        let peak = a.peak.max(b.peak);
        let sum = a.sum * (a.peak - peak).exp() + b.sum * (b.peak - peak).exp();
        Terms { peak, sum, flags: a.flags | b.flags }
    }
    #[inline(always)]
    fn accumulate(&self, elements: &[f32], _: u64) -> Terms {
        let terms = elements.chunks(1024).map(|block| {
            let flags = block.iter().fold(0, |flags, &x| flags | self.lift(x, 0).flags);
            let finite = block.iter().map(|x| self.scale * x).filter(|term| term.is_finite());
            let peak = finite.clone().fold(f32::MIN, f32::max);
            Terms { peak, sum: finite.map(|term| (term - peak).exp()).sum(), flags }
        });
        terms.fold(self.identity(), |a, b| self.combine(a, b))
    }
    fn params(&self) -> Vec<u32> {
        vec![self.scale.to_bits()]
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
        .checked()
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
    fn finish(&self, acc: Terms, count: u64) -> Result<Option<f32>> {
        Ok((count > 0).then(|| match acc {
            Terms { flags, .. } if flags & NAN != 0 => f32::NAN,
            Terms { flags, .. } if flags & INFINITE != 0 => f32::INFINITY,
            Terms { sum: 0.0, .. } => f32::NEG_INFINITY,
            Terms { peak, sum, .. } => peak + sum.ln(),
        }))
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
