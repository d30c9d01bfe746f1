//! The harmonic mean: over the sum of reciprocals.

use super::sum_of::{Function, answer_of_sum};

/// The harmonic mean n / Σ(1/x).
///
/// - **Answer**: of f32 an f32, of the others an f64. **Rounding**: reciprocals are added in f64 on the host, in pairs of f32 on a device; the
///   relative error is about 10^-15, of f32 2^-24 and on a device 10^-5, times Σ|1/x| / |Σ(1/x)|. On a device a size
///   below 2^-126 counts as 0, one above 2^126 may count as infinite, and where reciprocals add up beyond 3·10^38 the answer is 0; of f64 on the
///   host, where they add up beyond 1.7·10^308, as those of subnormals do, and sizes above 2^1022 have reciprocals of fewer digits.
/// - **Order**: commutative. **Empty**: `None`. **Zero**: one, of either sign, gives 0. **Infinity**: its reciprocal is 0. **NaN**: NaN.
/// - **On the device**: f32 1 word. Other types on the CPU engine alone.
///
/// ```
/// use treefold::{Cpu, ops::HarmonicMean};
/// let cpu = Cpu::new();
/// assert_eq!(cpu.reduce(HarmonicMean, &[40.0f32, 60.0])?, Some(48.0));
/// assert_eq!(cpu.reduce(HarmonicMean, &[2i64, 0])?, Some(0.0));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct HarmonicMean;

/// The reciprocal; +inf of both zeros.
#[derive(Clone, Copy, Debug)]
pub struct Reciprocal;

impl Function for Reciprocal {
    const WGSL: &'static [&'static str] = &["fn taken_as(bits: u32) -> u32 {
    let size = bits & 0x7fffffffu;
    if size > 0x7f800000u { return 0x7fc00000u; }
    if size == 0x7f800000u { return bits & 0x80000000u; }
    if size < 0x00800000u { return 0x7f800000u; }
    return bitcast<u32>(1.0 / bitcast<f32>(bits));
}
"];
    #[inline(always)]
    fn of(x: f64) -> f64 {
        if x == 0.0 { f64::INFINITY } else { 1.0 / x }
    }
}

answer_of_sum!(HarmonicMean = "harmonic_mean", "Harmonic mean, n / Σ(1/x)", Reciprocal,
    |sum, count| (count > 0).then(|| count as f64 / sum),
    "if ((count.x | count.y) == 0u) | ((acc.flags & 1u) != 0u) { return array<u32, 1>(0x7fc00000u); }
if acc.flags != 0u { return array<u32, 1>(0u); }
let sum = acc.sum + acc.rest;
let size = bitcast<u32>(sum) & 0x7fffffffu;
// Partial sums that left the range, and reciprocals that are all 0.
if size >= 0x7f800000u { return array<u32, 1>(0u); }
if size == 0u { return array<u32, 1>((bitcast<u32>(sum) & 0x80000000u) | 0x7f800000u); }
return array<u32, 1>(bitcast<u32>(float64(count) / sum));",
    |elements, size| {
        let terms = elements.iter().map(|&x| 1.0 / f64::from(x)).filter(|term| term.is_finite());
        let (sum, sizes) = terms.fold((0.0, 0.0), |(sum, sizes), term| (sum + term, sizes + f64::abs(term)));
        // Elements that a device takes for 0 or for infinite, and sums of reciprocals beyond its range.
        let beyond = sizes > 8e37 || elements.iter().any(|x| x.is_subnormal() || (x.is_finite() && x.abs() > 8e37));
        if beyond { f64::INFINITY } else { size * 1e-5 * (sizes / f64::abs(sum)).max(1.0) + 1e-37 }
    });
