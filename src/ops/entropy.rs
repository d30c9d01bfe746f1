//! The entropy of weights.

use super::doubles::{Doubles, near_answers};
use super::sum_of::{Function, LOGARITHM, SumOf, Summed, Total};
use crate::op::WordType;
use crate::{DeviceAnswer, Op, Result};

/// The entropy -Σ p ln p of weights, p = x / Σx: in nats; divided by ln 2 it is in bits.
///
/// It is ln S - (Σ x ln x) / S with S = Σx, so that one read does and the weights need not add up to 1.
///
/// - **Answer**: of f32 an f32, of the others an f64. **Rounding**: both sums in f64 on the host, in pairs of f32 on a device; the absolute error
///   is about 10^-15, of f32 2^-24 and on a device 4·10^-6, times ln n and the largest |ln x|.
/// - **Order**: commutative. **Empty**: `None`. **Zero**: a weight of 0 adds nothing; NaN where all are 0. **Negative**, **infinite** or
///   **NaN**: NaN if there is one. **Range**: NaN where Σx or an x ln x leaves that of f64; on a device that of f32, x above 10^36.
/// - **On the device**: f32 1 word. Other types on the CPU engine alone.
///
/// ```
/// use treefold::{Cpu, ops::Entropy};
/// let entropy = Cpu::new().reduce(Entropy, &[1i32, 1, 1, 1, 0])?;
/// assert_eq!(entropy, Some(4f64.ln()));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Entropy;

/// A weight, if it can be one.
#[derive(Clone, Copy, Debug)]
pub struct Weight;

impl Function for Weight {
    const WGSL: &'static [&'static str] = &["fn taken_as(bits: u32) -> u32 {
    return select(select(bits, 0u, bits == 0x80000000u), 0x7fc00000u, (bits >= 0x7f800000u) & (bits != 0x80000000u));
}
"];
    #[inline(always)]
    fn of(x: f64) -> f64 {
        if (0.0..f64::INFINITY).contains(&x) { x } else { f64::NAN }
    }
}

/// x ln x.
#[derive(Clone, Copy, Debug)]
pub struct XLnX;

impl Function for XLnX {
    const WGSL: &'static [&'static str] = &[
        LOGARITHM,
        "fn taken_as(bits: u32) -> u32 {
    if (bits == 0u) | (bits == 0x80000000u) { return 0u; }
    if bits >= 0x7f800000u { return 0x7fc00000u; }
    return bitcast<u32>(bitcast<f32>(bits) * logarithm(bits));
}
",
    ];
    const HEAVY: bool = true;
    #[inline(always)]
    fn of(x: f64) -> f64 {
        match x {
            0.0 => 0.0,
            f64::INFINITY => f64::NAN,
            _ => x * x.ln(),
        }
    }
}

/// Of Σx and Σ x ln x. It is never negative, which rounding would make it of one weight.
fn entropy(sum: f64, terms: f64, count: u64) -> Option<f64> {
    let of = |entropy: f64| if entropy < 0.0 { 0.0 } else { entropy };
    (count > 0).then(|| if sum > 0.0 { of(sum.ln() - terms / sum) } else { f64::NAN })
}

const ABOUT: &str = "Entropy of weights, -Σ p ln p with p = x / Σx";

impl Op<f32> for Entropy {
    type Fold = (SumOf<Weight>, SumOf<XLnX>);
    type Output = Option<f32>;
    const NAME: &'static str = "entropy";
    const ABOUT: &'static str = ABOUT;

    fn fold(&self) -> Self::Fold {
        (SumOf::NEW, SumOf::NEW)
    }
    fn finish(&self, (sum, terms): (Total, Total), count: u64) -> Result<Option<f32>> {
        Ok(entropy(sum.value(), terms.value(), count).map(|entropy| entropy as f32))
    }
    fn answer(&self) -> Option<DeviceAnswer> {
        let finish = "let sum = acc.m0.sum + acc.m0.rest;
let terms = acc.m1.sum + acc.m1.rest;
if ((acc.m0.flags | acc.m1.flags) != 0u) | !(sum > 0.0) { return array<u32, 1>(0x7fc00000u); }
let found = log(sum) - terms / sum;
return array<u32, 1>(select(bitcast<u32>(found), 0u, found < 0.0));";
        Some(DeviceAnswer::checked([("entropy", WordType::F32)], finish))
    }
    fn read(&self, words: &[u32], count: u64) -> Result<Option<f32>> {
        Ok((count > 0).then(|| f32::from_bits(words[0])))
    }
    fn close(&self, device: &Option<f32>, host: &Option<f32>, elements: &[f32], _: bool) -> bool {
        let most = elements.iter().copied().filter(|x| x.is_finite()).fold(0.0, f32::max);
        let logarithms = elements.iter().map(|&x| f64::from(x).ln().abs()).filter(|size| size.is_finite()).fold(1.0, f64::max);
        // Products or sums beyond the range of f32, and elements that a device takes for zeros as subnormals.
        let beyond = f64::from(most) * elements.len() as f64 * 100.0 > 3e38 || most < 1e-30;
        let slack = 4e-6 * (logarithms + (elements.len() as f64).ln());
        near_answers(device.map(f64::from), host.map(f64::from), |_| slack) || beyond
    }
}

macro_rules! on_host {
    ($($type:ty),+) => {$(
        impl Op<$type> for Entropy {
            type Fold = (SumOf<Weight>, SumOf<XLnX>);
            type Output = Option<f64>;
            const NAME: &'static str = "entropy";
            const ABOUT: &'static str = ABOUT;

            fn fold(&self) -> Self::Fold {
                (SumOf::NEW, SumOf::NEW)
            }
            fn finish(&self, (sum, terms): (Doubles<1>, Doubles<1>), count: u64) -> Result<Option<f64>> {
                Ok(entropy(sum.value(), terms.value(), count))
            }
        }
    )+};
}

on_host!(f64, i32, u32, i64, u64);
