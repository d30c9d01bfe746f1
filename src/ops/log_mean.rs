//! The geometric mean and the logarithm of a product: over the sum of logarithms.

use super::sum_of::{Function, LOGARITHM, answer_of_sum};

/// The geometric mean (Πx)^(1/n), by way of the mean of logarithms, so that nothing overflows.
///
/// - **Answer**: of f32 an f32, of the others an f64. **Rounding**: logarithms are added in f64 on the host, in pairs of f32 on a device; the
///   relative error is about that of one logarithm: 10^-15, of f32 2^-24 and on a device 10^-6 times 2 and the mean of |ln x|.
/// - **Order**: commutative. **Empty**: `None`. **Zero**: one gives 0, unless there is an infinity. **Negative**: NaN if there is one.
///   **NaN**: NaN.
/// - **On the device**: f32 1 word. Other types on the CPU engine alone.
///
/// ```
/// use treefold::{Cpu, ops::LogMean};
/// let cpu = Cpu::new();
/// assert_eq!(cpu.reduce(LogMean, &[1e30f32, 4e30, 2e30])?, Some(2e30));
/// assert_eq!(cpu.reduce(LogMean, &[3i32, 0])?, Some(0.0));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct LogMean;

/// The natural logarithm of the product, Σ ln x.
///
/// - **Rounding**, **Zero**, **Negative**, **NaN**, **Order**: as for [`LogMean`]; a zero gives -inf. **Empty**: 0.
/// - **On the device**: f32 1 word. Other types on the CPU engine alone.
///
/// ```
/// use treefold::{Cpu, ops::LogProduct};
/// assert_eq!(Cpu::new().reduce(LogProduct, &[0.0f64, 2.0])?, Some(f64::NEG_INFINITY));
/// let log = Cpu::new().reduce(LogProduct, &[1e300f64; 1000])?.unwrap_or(0.0);
/// assert!((log / (1000.0 * 1e300f64.ln()) - 1.0).abs() < 1e-14);
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct LogProduct;

/// The natural logarithm.
#[derive(Clone, Copy, Debug)]
pub struct Ln;

impl Function for Ln {
    const WGSL: &'static [&'static str] = &[
        LOGARITHM,
        "fn taken_as(bits: u32) -> u32 {
    if (bits & 0x7fffffffu) == 0u { return 0xff800000u; }
    if bits > 0x7f800000u { return 0x7fc00000u; }
    return select(bitcast<u32>(logarithm(bits)), bits, bits == 0x7f800000u);
}
",
    ];
    const HEAVY: bool = true;
    #[inline(always)]
    fn of(x: f64) -> f64 {
        x.ln()
    }
}

/// The error that the rounding of each logarithm on a device may make in their sum.
fn slack(elements: &[f32]) -> f64 {
    let sizes: f64 = elements.iter().map(|&x| f64::from(x).ln().abs()).filter(|size| size.is_finite()).sum();
    1e-6 * (sizes + elements.len() as f64)
}

answer_of_sum!(LogMean = "log_mean", "Geometric mean, (Πx)^(1/n)", Ln,
    |sum, count| (count > 0).then(|| (sum / count as f64).exp()),
    "if (count.x | count.y) == 0u { return array<u32, 1>(0x7fc00000u); }
if acc.flags == 2u { return array<u32, 1>(0x7f800000u); }
if acc.flags == 4u { return array<u32, 1>(0u); }
if acc.flags != 0u { return array<u32, 1>(0x7fc00000u); }
return array<u32, 1>(bitcast<u32>(exp((acc.sum + acc.rest) / float64(count))));",
    |elements, size| size * (1e-6 + slack(elements) / elements.len() as f64) + 1e-37);

answer_of_sum!(LogProduct = "log_product", "Logarithm of the product, Σ ln x", Ln, |sum, _count| Some(sum),
    "if acc.flags == 0u { return array<u32, 1>(bitcast<u32>(acc.sum + acc.rest)); }
return array<u32, 1>(select(select(0x7fc00000u, 0xff800000u, acc.flags == 4u), 0x7f800000u, acc.flags == 2u));",
    |elements, _size| slack(elements));
