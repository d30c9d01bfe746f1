//! Exact sums of products: the dot product.

use super::exact::{Products, exact_answer, exact_fold, host_sums, naturals};
use super::rounding::Rounding;
use crate::exact::{LongAccumulator, PRODUCTS_F64, flag, products_f64};
use crate::{Acc, Error, Op, Result};

/// The dot product Σxy of pairs as if computed in real numbers and rounded once to nearest, ties to even.
///
/// Each product of two f32 has 48 bits, of two f64 106, and is kept whole. Two buffers of f32 become pairs by [`Input::zip`](crate::Input::zip).
///
/// - **f32, f64**: an f32, of f64 an f64. **i64, u64**: an `i128`, a `u128`; [`Error::Overflow`](crate::Error::Overflow) where it does not fit.
/// - **Exact**: the same bits on every adapter, whatever the order, the launch shape, the parts and the version.
/// - **Order**: any. **Empty**: 0. **NaN and infinities**: as IEEE 754 has it: 0·inf is NaN, as are two infinities that
///   cancel. **Zero**: products that are all -0 sum to -0.
/// - **On the device**: of f32 1 word, rounded there. Pairs of 64 bits are for the CPU engine alone.
///
/// ```
/// use treefold::{Cpu, ops::Dot};
/// let pairs = [[1e20f32, 1e10], [1.0, 1.0], [-1e20, 1e10]];
/// assert_eq!(Cpu::new().reduce(Dot, &pairs)?, 1.0);
/// let pairs = [[1e200f64, 1e100], [1.0, 1.0], [-1e200, 1e100]];
/// assert_eq!(Cpu::new().reduce(Dot, &pairs)?, 1.0);
/// assert_eq!(Cpu::new().reduce(Dot, &[[i64::MAX, i64::MAX], [-1, 1]])?, (1 << 126) - (1 << 64));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Dot;

/// Why pairs of 64 bits have no device half.
pub(super) const NO_PAIRS: &str = "kernels have no pairs of 64 bits";
const ABOUT: &str = "Dot product of two inputs, rounded once; exact for integers";

exact_fold!(Dot over [f32; 2]; Products, tested: true);
exact_answer!(Dot = "dot" over [f32; 2], Dot, Products, ABOUT, f32, f32, Some(Rounding::SUM), |unit| unit,
    |acc, count| |unit| acc.quotient(unit, 1, count), |value, _count| value);

host_sums!(Dot over [f64; 2], 134 limbs, NO_PAIRS; |pairs| products_f64(pairs, |[x, _]| x, |[_, y]| y));
host_sums!(Dot over [u64; 2], 6 limbs, NO_PAIRS; |pairs| naturals(pairs.iter().map(|&[x, y]| u128::from(x) * u128::from(y))));
host_sums!(Dot over [i64; 2], 6 limbs, NO_PAIRS; |pairs| {
    // Both halves of products apart, so that neither sum overflows.
    let (mut low, mut high) = (0u128, 0i128);
    for &[x, y] in pairs {
        let product = i128::from(x) * i128::from(y);
        low += u128::from(product as u64);
        high += product >> 64;
    }
    let flags = if pairs.is_empty() { 0 } else { flag::OTHER };
    LongAccumulator::natural(low, 0, flags).plus(LongAccumulator::integer(high, 0).up_by_64())
});

macro_rules! host_answer {
    ($($type:ty => $output:ty, |$acc:ident, $count:ident| $finish:expr;)+) => {$(
        impl Op<$type> for Dot {
            type Fold = Dot;
            type Output = $output;
            const NAME: &'static str = "dot";
            const ABOUT: &'static str = ABOUT;
            const EXACT: bool = true;

            fn fold(&self) -> Dot {
                Dot
            }
            fn finish(&self, $acc: Acc<$type, Self>, $count: u64) -> Result<$output> {
                $finish
            }
        }
    )+};
}

const BEYOND: Error = Error::Overflow { operator: "dot", bits: 128 };

host_answer! {
    [f64; 2] => f64, |acc, count| Ok(acc.quotient(PRODUCTS_F64, 1, count));
    [i64; 2] => i128, |acc, _count| acc.integer_128().ok_or(BEYOND);
    [u64; 2] => u128, |acc, _count| acc.natural_128().ok_or(BEYOND);
}
