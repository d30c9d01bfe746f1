//! Exact sums of products: dot product, sum of squares, Euclidean norm.

use super::exact::{Products, Squares, exact_operator, finish};

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
/// use treefold::{Cpu, ops::ExactDot};
/// let pairs = [[1e20f32, 1e10], [1.0, 1.0], [-1e20, 1e10]];
/// assert_eq!(Cpu::new().reduce(ExactDot, &pairs)?, 1.0);
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct ExactDot;

/// The sum of squares Σx² as if computed in real numbers and rounded once to nearest, ties to even.
///
/// - **Exact**, **Order**, **NaN and infinities**: as for [`ExactDot`] with the elements themselves. **Empty**: 0.
/// - **On the device**: 1 word, rounded there.
///
/// ```
/// use treefold::{Cpu, ops::ExactSumOfSquares};
/// assert_eq!(Cpu::new().reduce(ExactSumOfSquares, &[3.0f32, -4.0])?, 25.0);
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct ExactSumOfSquares;

/// The Euclidean norm √Σx² as if computed in real numbers and rounded once to nearest, ties to even.
///
/// No intermediate overflow or underflow: the norm of 1e30 and 1e30 is finite.
///
/// - **Exact**, **Order**, **NaN and infinities**: as for [`ExactSumOfSquares`]. **Empty**: 0.
/// - **On the device**: 1 word, rounded there.
///
/// ```
/// use treefold::{Cpu, ops::ExactNormL2};
/// assert_eq!(Cpu::new().reduce(ExactNormL2, &[3e30f32, -4e30])?, 5e30);
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct ExactNormL2;

exact_operator!(ExactDot, "exact_dot", "Dot product of two inputs, rounded once", [f32; 2], Products, f32, 1, finish::SUM, 151,
    |acc, count| acc.quotient(-300, 1, count));
exact_operator!(ExactSumOfSquares, "exact_sumsq", "Sum of squares, rounded once", f32, Squares, f32, 1, finish::SUM, 151,
    |acc, count| acc.quotient(-300, 1, count));
exact_operator!(ExactNormL2, "exact_norm2", "Euclidean norm, rounded once", f32, Squares, f32, 1, finish::ROOT, 1,
    |acc, _count| acc.root(-300));
