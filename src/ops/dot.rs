//! Exact sums of products: the dot product.

use super::exact::{Products, exact_answer, exact_fold};
use super::rounding::Rounding;

/// The dot product Σxy of pairs as if computed in real numbers and rounded once to nearest, ties to even.
///
/// Each product of two f32 has 48 bits and is kept whole. Two buffers become pairs by [`Input::zip`](crate::Input::zip).
///
/// - **Exact**: the same bits on every adapter, whatever the order, the launch shape, the parts and the version.
/// - **Order**: any. **Empty**: 0. **NaN and infinities**: as IEEE 754 has it: 0·inf is NaN, as are two infinities that
///   cancel. **Zero**: products that are all -0 sum to -0.
/// - **On the device**: 1 word, rounded there.
///
/// ```
/// use treefold::{Cpu, ops::Dot};
/// let pairs = [[1e20f32, 1e10], [1.0, 1.0], [-1e20, 1e10]];
/// assert_eq!(Cpu::new().reduce(Dot, &pairs)?, 1.0);
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Dot;

exact_fold!(Dot over [f32; 2]; Products, tested: true);
exact_answer!(Dot = "dot" over [f32; 2], Dot, Products, "Dot product of two inputs, rounded once", f32, f32, Some(Rounding::SUM), |unit| unit,
    |acc, count| |unit| acc.quotient(unit, 1, count), |value, _count| value);
