//! Accumulators of f64, for folds that the host alone computes.

use crate::op::{Member, join, split};
use crate::{Accumulator, Wgsl};

/// Why a fold over f64 that calls such functions has no device half.
pub(super) const NO_FUNCTIONS: &str = "drivers answer garbage for exp, log and pow of f64, without an error";
/// Why a fold that adds up in f64 has none.
pub(super) const NO_F64: &str = "it adds up in f64, which most devices lack";

/// So many f64.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Doubles<const N: usize>(pub [f64; N]);

impl<const N: usize> Accumulator for Doubles<N> {
    const WORDS: usize = 2 * N;
    const WGSL: &'static str = "";
    const MEMBERS: &'static [Member] = &[];
    fn write(&self, words: &mut [u32]) {
        for (pair, x) in words.chunks_mut(2).zip(self.0) {
            split(x.to_bits(), pair);
        }
    }
    fn read(words: &[u32]) -> Self {
        let mut pairs = words.chunks(2);
        Doubles(std::array::from_fn(|_| f64::from_bits(join(pairs.next().unwrap_or_default()))))
    }
}

/// The sum of a function of the elements of a block, in lanes.
#[inline(always)]
pub(super) fn sum_in_lanes<T: Copy>(block: &[T], term: impl Fn(T) -> f64) -> f64 {
    let mut lanes = [0.0; 16];
    let rows = block.chunks_exact(lanes.len());
    let rest: f64 = rows.remainder().iter().map(|&x| term(x)).sum();
    for row in rows {
        for (lane, &x) in lanes.iter_mut().zip(row) {
            *lane += term(x);
        }
    }
    lanes.iter().sum::<f64>() + rest
}

/// x·2^e, rounded once at most where neither step leaves the range.
pub(super) fn scaled(x: f64, e: i64) -> f64 {
    // A power beyond the range makes a NaN of 0.
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let e = e.clamp(-2400, 2400) as i32;
    let (first, second) = if e < -1022 { (-1022, e + 1022) } else { (e / 2, e - e / 2) };
    x * 2f64.powi(first) * 2f64.powi(second)
}

/// A finite size above 0 as a number from 1 to 2 and the exponent of a power of two.
#[inline(always)]
pub(super) fn as_normal(size: f64) -> (f64, i64) {
    // A subnormal as a normal number 2^64 times as large.
    let (size, less) = if size < f64::MIN_POSITIVE { (size * 2f64.powi(64), 64) } else { (size, 0) };
    let exponent = (size.to_bits() >> 52) as i64 - 1023 - less;
    (f64::from_bits((size.to_bits() & ((1 << 52) - 1)) | 1023 << 52), exponent)
}

/// The stand-in for the device half of a fold that has none.
pub(super) fn no_wgsl() -> Wgsl {
    Wgsl::new("", "", "")
}

/// Whether two answers of floats are near: both missing, or as near as `slack` says of the host's size; at the end of the range of f32 a device may
/// leave it.
pub(super) fn near_answers(device: Option<f64>, host: Option<f64>, slack: impl FnOnce(f64) -> f64) -> bool {
    match (device, host) {
        (Some(device), Some(host)) => {
            let beyond =
                device.is_infinite() && device.signum() == host.signum() && host.abs() > 0.9999 * f64::from(f32::MAX);
            device == host || beyond || super::fast_sum::near(device, host, slack(host.abs()))
        }
        (device, host) => device.is_none() && host.is_none(),
    }
}
