//! Exact sums of products: dot product, sum of squares, Euclidean norm.

use super::exact::{Products, Rounding, Squares, exact_answer, exact_fold};

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

/// The sum of squares Σx² as if computed in real numbers and rounded once to nearest, ties to even.
///
/// - **Exact**, **Order**, **NaN and infinities**: as for [`Dot`] with the elements themselves. **Empty**: 0.
/// - **On the device**: 1 word, rounded there.
///
/// ```
/// use treefold::{Cpu, ops::SumOfSquares};
/// assert_eq!(Cpu::new().reduce(SumOfSquares, &[3.0f32, -4.0])?, 25.0);
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SumOfSquares;

/// The Euclidean norm √Σx² as if computed in real numbers and rounded once to nearest, ties to even.
///
/// No intermediate overflow or underflow: the norm of 1e30 and 1e30 is finite.
///
/// - **Exact**, **Order**, **NaN and infinities**: as for [`SumOfSquares`]. **Empty**: 0.
/// - **On the device**: 1 word, rounded there.
///
/// ```
/// use treefold::{Cpu, ops::Norm2};
/// assert_eq!(Cpu::new().reduce(Norm2, &[3e30f32, -4e30])?, 5e30);
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Norm2;

exact_fold!(Dot over [f32; 2], Products);
exact_fold!(SumOfSquares over f32, Squares);

exact_answer!(Dot = "dot" over [f32; 2], Dot, Products, "Dot product of two inputs, rounded once", f32, f32, Rounding::SUM, |unit| unit,
    |acc, count| |unit| acc.quotient(unit, 1, count), |value, _count| value);
exact_answer!(SumOfSquares = "sumsq" over f32, SumOfSquares, Squares, "Sum of squares, rounded once", f32, f32, Rounding::SUM, |unit| unit,
    |acc, count| |unit| acc.quotient(unit, 1, count), |value, _count| value);
exact_answer!(Norm2 = "norm2" over f32, SumOfSquares, Squares, "Euclidean norm, rounded once", f32, f32, Rounding::ROOT, |unit| unit / 2,
    |acc, _count| |unit| acc.root(unit), |value, _count| value);
