//! The exact sum of sizes.

use super::exact::{Sizes, exact_answer, exact_fold, whole_answer};
use super::rounding::Rounding;
use crate::half::f16;

/// The sum of sizes Σ|x|, exact.
///
/// - **f32, f16, f64**: as if computed in real numbers and rounded once to nearest, ties to even: an f32, of f64 an f64. The same bits
///   on every adapter. **Integers**: a `u128`; [`Error::Overflow`](crate::Error::Overflow) where it does not fit.
/// - **Order**: any. **Empty**: 0. **NaN**: NaN if there is a NaN; else infinite if there is an infinity.
/// - **On the device**: f32 and f16 1 word, f64 2 (low, high), rounded there; integers 4 words, low word first.
///
/// ```
/// use treefold::{Cpu, ops::Norm1};
/// assert_eq!(Cpu::new().reduce(Norm1, &[3.0f32, -4.0, -0.5])?, 7.5);
/// assert_eq!(Cpu::new().reduce(Norm1, &[i64::MIN, i64::MIN])?, 1 << 64);
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Norm1;

const ABOUT: &str = "Sum of sizes, Σ|x|, rounded once; exact for integers";

exact_fold!(Norm1 over f32, f16, f64; Sizes, tested: true);
exact_fold!(Norm1 over i32, u32, i64, u64; Sizes, tested: false);

macro_rules! norm1 {
    ($($type:ty),+; $float:ty, $rounding:expr) => {$(
        exact_answer!(Norm1 = "norm1" over $type, Norm1, Sizes, ABOUT, $float, $float, Some($rounding), |unit| unit,
            |acc, count| |unit| acc.quotient(unit, 1, count), |value, _count| value);
    )+};
}

norm1!(f32, f16; f32, Rounding::SUM);
norm1!(f64; f64, Rounding::SUM_F64);

whole_answer!(Norm1 = "norm1" over i32, u32, i64, u64; ABOUT, natural_128 as u128, 4, "return acc.limbs;");
