//! Exact sums of squares, and the Euclidean norm.

use super::exact::{Squares, exact_answer, exact_fold, whole_answer};
use super::rounding::Rounding;

/// The sum of squares Σx², exact.
///
/// - **f32, f64**: as if computed in real numbers and rounded once to nearest, ties to even: an f32, of f64 an f64. The same bits
///   on every adapter. **Integers**: a `u128`; [`Error::Overflow`](crate::Error::Overflow) where it does not fit.
/// - **Order**: any. **Empty**: 0. **NaN**: NaN if there is a NaN; else infinite if there is an infinity.
/// - **On the device**: f32 1 word, rounded there; i32, u32 4 words, low word first; i64, u64 5, the last 1 where the sum does not
///   fit the others. Of f64 the host rounds: no words.
///
/// ```
/// use treefold::{Cpu, ops::SumOfSquares};
/// assert_eq!(Cpu::new().reduce(SumOfSquares, &[3.0f32, -4.0])?, 25.0);
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SumOfSquares;

/// The Euclidean norm √Σx² as if computed in real numbers and rounded once to nearest, ties to even: an f32 of f32, an f64 of
/// f64 and integers.
///
/// No intermediate overflow or underflow: the norm of 1e30 and 1e30 is finite. Of complex numbers it is that of all real numbers in them, √Σ|z|².
///
/// - **Exact**, **Order**, **NaN and infinities**: as for [`SumOfSquares`]. **Empty**: 0.
/// - **On the device**: f32 1 word, rounded there; the others are rounded on the host and have no words. Complex numbers in a buffer are
///   twice as many real ones, too, over which a norm of f32 has its word.
///
/// ```
/// use treefold::{Cpu, ops::Norm2};
/// assert_eq!(Cpu::new().reduce(Norm2, &[3e30f32, -4e30])?, 5e30);
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Norm2;

const ABOUT: &str = "Sum of squares, rounded once; exact for integers";

exact_fold!(SumOfSquares over f32, f64; Squares, tested: true);
exact_fold!(SumOfSquares over i32, u32, i64, u64; Squares, tested: false);

exact_answer!(SumOfSquares = "sumsq" over f32, SumOfSquares, Squares, ABOUT, f32, f32, Some(Rounding::SUM), |unit| unit,
    |acc, count| |unit| acc.quotient(unit, 1, count), |value, _count| value);
exact_answer!(SumOfSquares = "sumsq" over f64, SumOfSquares, Squares, ABOUT, f64, f64, None, |unit| unit,
    |acc, count| |unit| acc.quotient(unit, 1, count), |value, _count| value);

/// The root of a sum of squares.
macro_rules! norm {
    ($($type:ty),+; $float:ty, $rounding:expr) => {$(
        exact_answer!(Norm2 = "norm2" over $type, SumOfSquares, Squares, "Euclidean norm, rounded once", $float, $float, $rounding,
            |unit| unit / 2, |acc, _count| |unit| acc.root(unit), |value, _count| value);
    )+};
}

norm!(f32; f32, Some(Rounding::ROOT));
norm!(f64, i32, u32, i64, u64; f64, None);

whole_answer!(SumOfSquares = "sumsq" over i32, u32; ABOUT, natural_128 as u128, 4, "return acc.limbs;");
whole_answer!(SumOfSquares = "sumsq" over i64, u64; ABOUT, natural_128 as u128, 5, "let limbs = acc.limbs;
let beyond = select(0u, 1u, (limbs[4] | limbs[5]) != 0u);
return array<u32, 5>(limbs[0], limbs[1], limbs[2], limbs[3], beyond);");
