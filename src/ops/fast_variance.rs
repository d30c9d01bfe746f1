//! Fast variance in one pass: pairwise merging of moments in f32.

use super::doubles::sum_in_lanes;
use super::fast_sum::near;
use crate::op::{Member, WordType};
use crate::{Accumulator, DeviceAnswer, Fold, Op, Result, Wgsl};

/// The variance of f32, Σ(x - mean)² / (n - ddof), accumulated in f32 on a device.
///
/// - **ddof**: delta degrees of freedom; 0 (the default) divides by n, 1 by n - 1.
/// - **Rounding**: (count, mean, Σ(x - mean)²) merged pairwise, as Chan, Golub and LeVeque (1979) have it; never Σx² - (Σx)². On a
///   device a mean is kept as an element and the distance from it, so that data far from 0 lose nothing. The host accumulates in
///   f64; the error of a device is about 10^-6 of the variance, at most 3·10^-4 of it where the first elements lie far outside the
///   rest, and (2^-40·max|x|)²; 10^-37 where squares leave the range of normal f32.
/// - **Order**: commutative. **Empty** or n <= ddof: `None`. **NaN and infinities**: NaN. **Range**: infinity where
///   Σ(x - mean)² or twice an element leaves that of f32 (3.4e38) on a device.
/// - **On the device**: 1 word (NaN where there is no answer).
///
/// ```
/// use treefold::{Cpu, ops::FastVariance};
/// assert_eq!(Cpu::new().reduce(FastVariance { ddof: 1 }, &[1.0f32, 3.0])?, Some(2.0));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct FastVariance {
    /// Delta degrees of freedom: what is subtracted from n in the divisor.
    pub ddof: u32,
}

/// The fold of [`FastVariance`].
#[derive(Clone, Copy, Debug, Default)]
pub struct FastMoments;

/// (count, mean, Σ(x - mean)²) of floats; f32 on the device, the mean there an element and the distance from it; f64 on the
/// host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    count: f64,
    mean: f64,
    squares: f64,
    finite: bool,
}

impl Moments {
    const NONE: Moments = Moments { count: 0.0, mean: 0.0, squares: 0.0, finite: true };

    #[inline(always)]
    fn merge(self, other: Moments) -> Moments {
        let count = self.count + other.count;
        let share = other.count / count.max(1.0);
        let delta = other.mean - self.mean;
        let weight = self.count * share;
        // An empty side has no weight, however far its mean of 0 is from the other.
        let between = if weight == 0.0 { 0.0 } else { delta * delta * weight };
        Moments {
            count,
            mean: self.mean + delta * share,
            squares: self.squares + other.squares + between,
            finite: self.finite && other.finite,
        }
    }

    /// Two passes over a block that stays in the cache: its mean, then the squares about it.
    #[inline(always)]
    fn of(block: &[f32]) -> Moments {
        let count = block.len() as f64;
        let mean = sum_in_lanes(block, f64::from) / count.max(1.0);
        let squares = sum_in_lanes(block, |x| (f64::from(x) - mean) * (f64::from(x) - mean));
        Moments { count, mean, squares, finite: mean.is_finite() }
    }
}

impl Accumulator for Moments {
    const WORDS: usize = 5;
    const WGSL: &'static str = "struct Acc { count: f32, pivot: f32, distance: f32, squares: f32, non_finite: u32, }";
    const MEMBERS: &'static [Member] = &[
        Member { name: "count", of: "f32", words: 1 },
        Member { name: "pivot", of: "f32", words: 1 },
        Member { name: "distance", of: "f32", words: 1 },
        Member { name: "squares", of: "f32", words: 1 },
        Member { name: "non_finite", of: "u32", words: 1 },
    ];
    fn write(&self, words: &mut [u32]) {
        let low = self.mean - f64::from(self.mean as f32);
        for (word, x) in words.iter_mut().zip([self.count, self.mean, low, self.squares]) {
            *word = (x as f32).to_bits();
        }
        words[4] = u32::from(!self.finite);
    }
    /// Σ(x - mean)² of the host may leave the range of f32.
    fn fits(&self) -> bool {
        !self.squares.is_finite() || (self.squares as f32).is_finite()
    }
    fn read(words: &[u32]) -> Self {
        let float = |w: usize| f64::from(f32::from_bits(words[w]));
        Moments { count: float(0), mean: float(1) + float(2), squares: float(3), finite: words[4] == 0 }
    }
}

impl Fold<f32> for FastMoments {
    type Acc = Moments;

    fn identity(&self) -> Moments {
        Moments::NONE
    }
    fn lift(&self, x: f32, _: u64) -> Moments {
        Moments { count: 1.0, mean: f64::from(x), squares: 0.0, finite: x.is_finite() }
    }
    fn combine(&self, a: Moments, b: Moments) -> Moments {
        a.merge(b)
    }
    #[inline(always)]
    fn accumulate(&self, elements: &[f32], _: u64) -> Moments {
        elements.chunks(4096).map(Moments::of).fold(Moments::NONE, Moments::merge)
    }
    fn wgsl(&self) -> Wgsl {
        Wgsl::new(
            "return Acc(0.0, 0.0, 0.0, 0.0, 0u);",
            "return Acc(1.0, bitcast<f32>(bits), 0.0, 0.0, non_finite(bits));",
            "let count = a.count + b.count;
let share = b.count / max(count, 1.0);
let delta = (b.pivot - a.pivot) + (b.distance - a.distance);
let weight = a.count * share;
// An empty side has no weight, and no mean.
let between = select(delta * delta * weight, 0.0, weight == 0.0);
let first = a.count == 0.0;
return Acc(count, select(a.pivot, b.pivot, first), select(a.distance + delta * share, b.distance, first),
    a.squares + b.squares + between, a.non_finite | b.non_finite);",
        )
        // Their own mean first, then one merge, so one division for four elements.
        .vector(
            "let x = bitcast<vec4<f32>>(vector);
let apart = x - x.x;
let mean = dot(apart, vec4<f32>(0.25));
let delta = apart - mean;
let flags = non_finite(vector.x) | non_finite(vector.y) | non_finite(vector.z) | non_finite(vector.w);
return combine(acc, Acc(4.0, x.x, mean, dot(delta, delta), flags));",
        )
        .helpers("fn non_finite(bits: u32) -> u32 { return select(0u, 1u, (bits & 0x7f800000u) == 0x7f800000u); }\n")
        .checked().any_nan()
    }
}

impl Op<f32> for FastVariance {
    type Fold = FastMoments;
    type Output = Option<f64>;
    const NAME: &'static str = "fast_variance";
    const ABOUT: &'static str = "Variance, divided by n - ddof; accumulated in f32 on a device";

    fn signature(&self) -> String {
        format!("fast_variance(ddof={})", self.ddof)
    }
    fn fold(&self) -> FastMoments {
        FastMoments
    }
    fn finish(&self, acc: Moments, count: u64) -> Result<Option<f64>> {
        let divisor = count.saturating_sub(self.ddof.into());
        Ok((divisor > 0).then(|| match acc {
            Moments { finite: false, .. } => f64::NAN,
            // Finite elements, and no number: the squares left the device's range.
            Moments { squares, .. } if squares.is_nan() => f64::INFINITY,
            Moments { squares, .. } => squares / divisor as f64,
        }))
    }
    fn answer(&self) -> Option<DeviceAnswer> {
        let finish = "let some = (count.y > 0u) | (count.x > param(0u));
let divisor = float64(vec2<u32>(count.x - param(0u), count.y - select(0u, 1u, count.x < param(0u))));
if (acc.non_finite != 0u) | !some { return array<u32, 1>(0x7fc00000u); }
let squares = bitcast<u32>(acc.squares);
if (squares & 0x7f800000u) == 0x7f800000u { return array<u32, 1>(0x7f800000u); }
return array<u32, 1>(bitcast<u32>(acc.squares / divisor));";
        Some(DeviceAnswer::checked([("variance", WordType::F32)], finish).params([self.ddof]))
    }
    fn read(&self, words: &[u32], count: u64) -> Result<Option<f64>> {
        Ok((count > self.ddof.into()).then(|| f32::from_bits(words[0]).into()))
    }
    fn close(&self, device: &Option<f64>, host: &Option<f64>, elements: &[f32], _: bool) -> bool {
        let (Some(device), Some(host)) = (device, host) else { return device.is_none() && host.is_none() };
        close_variance(*device, *host, elements)
    }
}

/// Whether a device's variance is as good as the host's, squares in f32 and their range included.
pub(super) fn close_variance(device: f64, host: f64, elements: &[f32]) -> bool {
    let most = elements.iter().map(|x| f64::from(x.abs())).filter(|x| x.is_finite()).fold(host.abs(), f64::max);
    let beyond = most * elements.len() as f64 > 3e38 && device == f64::INFINITY;
    beyond || near(device, host, 3e-4 * host.abs() + (most * 2f64.powi(-40)).powi(2) + 1e-37)
}
