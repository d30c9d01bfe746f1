//! Fast sum: a fixed tree of f32 additions.

use crate::element::Columns;
use crate::op::WordType;
use crate::{DeviceAnswer, Fold, Op, Result, Wgsl, accumulator};

/// The sum of f32, accumulated in f32.
///
/// - **Rounding**: in a fixed tree, so deterministic on one adapter and version. With u = 2^-24 and no overflow on the way the
///   error is at most (n - 1)·u·Σ|x|. [`Sum`](super::Sum) is exact.
/// - **Order**: commutative; any order. **Empty**: 0.
/// - **NaN and infinities**: NaN if there is a NaN, or both infinities; else the infinity; decided on the bits, so that finite
///   elements never give NaN. Where a partial sum of them overflows, the answer is an infinity: where two overflow, the one
///   that stands first in the tree, which may be another on another engine.
/// - **Subnormals**: some devices (SwiftShader) take them, as elements or on the way, for zeros.
/// - **Zero**: a sum of only -0 is -0, every other zero sum is +0.
/// - **On the device**: 1 word.
///
/// ```
/// use treefold::{Cpu, ops::FastSum};
/// let cpu = Cpu::new();
/// assert_eq!(cpu.reduce(FastSum, &[8.0f32, 6., 7., 5., 3., 0., 9.])?, 38.0);
/// assert!(cpu.reduce(FastSum, &[f32::INFINITY, f32::NEG_INFINITY])?.is_nan());
/// # Ok::<(), treefold::Error>(())
/// ```
///
/// Source: the tutorials' sum; the two-level scheme is that of CUB's `DeviceReduce::Sum`.
#[derive(Clone, Copy, Debug, Default)]
pub struct FastSum;

accumulator! {
    /// A float sum with the extremes of the bit patterns, which tell of NaN, of infinities and of -0.
    pub struct FloatSum {
        /// The sum in f32.
        sum: f32,
        /// The largest pattern as i32: above 0x7f80_0000 for a NaN, equal for +inf, i32::MIN for nothing but -0.
        most: i32,
        /// The largest pattern as u32: above 0xff80_0000 for a NaN, equal for -inf.
        low: u32,
    }
}

/// The sum of two sums of finite floats: where both overflowed, the first.
#[inline(always)]
fn add(a: f32, b: f32) -> f32 {
    let sum = a + b;
    if sum.is_nan() { a } else { sum }
}

impl FloatSum {
    /// The sum of a slice: blocks of vector lanes, so that the error grows with the lanes' lengths and not with the slice's.
    #[inline(always)]
    pub(crate) fn of(elements: &[f32]) -> FloatSum {
        const LANES: usize = 32;
        let mut all = FloatSum { sum: 0.0, most: i32::MIN, low: 0 };
        for block in elements.chunks(4096) {
            let (mut sums, mut mosts, mut lows) = ([0.0f32; LANES], [i32::MIN; LANES], [0u32; LANES]);
            let mut add_to = |l: usize, x: f32| {
                sums[l] += x;
                mosts[l] = mosts[l].max(x.to_bits() as i32);
                lows[l] = lows[l].max(x.to_bits());
            };
            // Whole rows apart: only those are added as vectors.
            let (rows, rest) = block.as_chunks::<LANES>();
            for row in rows {
                for (l, &x) in row.iter().enumerate() {
                    add_to(l, x);
                }
            }
            for (l, &x) in rest.iter().enumerate() {
                add_to(l, x);
            }
            for l in 0..LANES {
                all = FloatSum { sum: all.sum, most: all.most.max(mosts[l]), low: all.low.max(lows[l]) };
            }
            all.sum = add(all.sum, sums.into_iter().fold(0.0, add));
        }
        all
    }

    /// The sum as IEEE 754 has it.
    pub(crate) fn value(self) -> f32 {
        let (plus, minus) = (self.most == 0x7f80_0000, self.low == 0xff80_0000);
        if self.most > 0x7f80_0000 || self.low > 0xff80_0000 || (plus && minus) {
            f32::NAN
        } else if plus {
            f32::INFINITY
        } else if minus {
            f32::NEG_INFINITY
        } else if self.sum == 0.0 {
            if self.most == i32::MIN && self.low != 0 { -0.0 } else { 0.0 }
        } else {
            self.sum
        }
    }
}

/// The device's `add`.
const ADD_SUMS: &str = "// The sum of two sums of finite floats: where both overflowed, the first.
fn add_sums(a: f32, b: f32) -> f32 {
    let sum = a + b;
    return select(sum, a, (bitcast<u32>(sum) & 0x7fffffffu) > 0x7f800000u);
}
";

/// `sum_bits`: the bits of [`FloatSum::value`].
pub(super) const SUM_BITS: &str = "
fn sum_bits(acc: Acc) -> u32 {
    let plus = acc.most == 0x7f800000i;
    let minus = acc.low == 0xff800000u;
    if acc.most > 0x7f800000i || acc.low > 0xff800000u || (plus && minus) { return 0x7fc00000u; }
    if plus { return 0x7f800000u; }
    if minus { return 0xff800000u; }
    let bits = bitcast<u32>(acc.sum);
    if (bits & 0x7fffffffu) == 0u { return select(0u, 0x80000000u, (bitcast<u32>(acc.most) == 0x80000000u) & (acc.low != 0u)); }
    return bits;
}
";

/// The rounding of so many additions, as a bound on the distance of two sums.
pub(super) fn slack(elements: &[f32]) -> f64 {
    let n = elements.len() as f64;
    let absolute: f64 = elements.iter().map(|&x| f64::from(x).abs()).filter(|x| x.is_finite()).sum();
    // A device may flush subnormals.
    2.0 * n * f64::from(f32::EPSILON) * absolute + n * f64::from(f32::MIN_POSITIVE)
}

/// Whether two sums of f32, or their means, are near, or one has overflowed: what is positive, or negative, may add up to an infinity on the way.
pub(super) fn close_sum(device: f64, host: f64, near_by: f64, elements: &[f32]) -> bool {
    let overflows = |found: f64| {
        let side: f64 = elements.iter().map(|&x| f64::from(x) * found.signum()).filter(|&x| x > 0.0).sum();
        found.is_infinite() && side.is_finite() && side + slack(elements) > f64::from(f32::MAX)
    };
    let finite = || elements.iter().all(|x| x.is_finite());
    near(device, host, near_by) || (finite() && (overflows(device) || overflows(host)))
}

/// Whether two floats are equal, both NaN, or no further apart than `slack`; zeros of other signs are not equal.
pub(super) fn near(a: f64, b: f64, slack: f64) -> bool {
    if a == b { a.is_sign_negative() == b.is_sign_negative() } else { (a.is_nan() && b.is_nan()) || (a - b).abs() <= slack }
}

impl Fold<f32> for FastSum {
    type Acc = FloatSum;

    #[inline(always)]
    fn identity(&self) -> FloatSum {
        FloatSum { sum: 0.0, most: i32::MIN, low: 0 }
    }
    #[inline(always)]
    fn lift(&self, x: f32, _: u64) -> FloatSum {
        FloatSum { sum: x, most: x.to_bits() as i32, low: x.to_bits() }
    }
    #[inline(always)]
    fn combine(&self, a: FloatSum, b: FloatSum) -> FloatSum {
        FloatSum { sum: add(a.sum, b.sum), most: a.most.max(b.most), low: a.low.max(b.low) }
    }
    #[inline(always)]
    fn accumulate(&self, elements: &[f32], _: u64) -> FloatSum {
        FloatSum::of(elements)
    }
    fn accumulate_columns(&self, columns: &Columns<'_, f32>, index: u64, accs: &mut Vec<FloatSum>) {
        crate::op::by_rows(self, columns, index, accs);
    }
    fn wgsl(&self) -> Wgsl {
        Wgsl::new(
            "return Acc(0.0, -2147483647i - 1i, 0u);",
            "return Acc(bitcast<f32>(bits), bitcast<i32>(bits), bits);",
            "return Acc(add_sums(a.sum, b.sum), max(a.most, b.most), max(a.low, b.low));",
        )
        // One after another, finite floats only leave the range: no NaN to look for, which would cost 0.5 µs of 4.1 at 2^16 elements.
        .vector(
            "let x = bitcast<vec4<f32>>(vector);
let signed = bitcast<vec4<i32>>(vector);
let most = max(max(signed.x, signed.y), max(signed.z, signed.w));
let low = max(max(vector.x, vector.y), max(vector.z, vector.w));
return Acc(acc.sum + x.x + x.y + x.z + x.w, max(acc.most, most), max(acc.low, low));",
        )
        .helpers(ADD_SUMS)
        .checked().any_nan()
    }
}

impl Op<f32> for FastSum {
    type Fold = FastSum;
    type Output = f32;
    const NAME: &'static str = "fast_sum";
    const ABOUT: &'static str = "Sum, accumulated in f32";

    fn fold(&self) -> FastSum {
        FastSum
    }
    fn finish(&self, acc: FloatSum, _: u64) -> Result<f32> {
        Ok(acc.value())
    }
    fn answer(&self) -> Option<DeviceAnswer> {
        Some(DeviceAnswer::checked([("sum", WordType::F32)], "return array<u32, 1>(sum_bits(acc));").helpers(SUM_BITS))
    }
    fn read(&self, words: &[u32], _: u64) -> Result<f32> {
        Ok(f32::from_bits(words[0]))
    }
    fn close(&self, device: &f32, host: &f32, elements: &[f32], _: bool) -> bool {
        close_sum((*device).into(), (*host).into(), slack(elements), elements)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::FastMean;

    /// An infinity is as good as another sum only where numbers of its sign can add up to one.
    #[test]
    fn overflow_on_the_way() {
        let sum = |device: f32, host: f32, elements: &[f32]| FastSum.close(&device, &host, elements, true);
        let large = [3e38, 3e38, -3e38, -1e38];
        assert!(sum(f32::INFINITY, 2e38, &large) && sum(2e38, f32::INFINITY, &large));
        assert!(!sum(f32::NAN, 2e38, &large) && !sum(-f32::INFINITY, 2e38, &[3e38, 3e38, -3e38]));
        assert!(!sum(f32::INFINITY, 0.0, &[2e38, -2e38]) && !sum(f32::INFINITY, 3.0, &[1.0, 2.0]));
        assert!(!sum(1.0, f32::INFINITY, &[f32::INFINITY, 1.0]) && !sum(f32::INFINITY, f32::NAN, &[f32::NAN, 3e38, 3e38]));
        let mean = |device: f32, host: f32, elements: &[f32]| FastMean.close(&Some(device), &Some(host), elements, true);
        assert!(mean(f32::INFINITY, 5e37, &large) && !mean(f32::INFINITY, 1.5, &[1.0, 2.0]));
        assert!(mean(f32::INFINITY, f32::INFINITY, &[f32::INFINITY, 1.0]));
        assert!(!mean(0.0, f32::INFINITY, &[f32::INFINITY, 1.0]) && !mean(-f32::INFINITY, f32::INFINITY, &[f32::INFINITY, 1.0]));
    }
}
