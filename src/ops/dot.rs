//! Exact sums of products: the dot product.

use super::exact::{exact_answer, exact_fold, whole_answer};
use super::factors::Products;
use super::rounding::Rounding;

/// The dot product Σxy of pairs as if computed in real numbers and rounded once to nearest, ties to even.
///
/// Each product of two f32 has 48 bits, of two f64 106, and is kept whole. Two buffers of f32 become pairs by [`Input::zip`](crate::Input::zip);
/// pairs of 64 bits lie in one buffer.
///
/// - **f32, f64**: an f32, of f64 an f64. **i64, u64**: an `i128`, a `u128`; [`Error::Overflow`](crate::Error::Overflow) where it does not fit.
/// - **Exact**: the same bits on every adapter, whatever the order, the launch shape, the parts and the version.
/// - **Order**: any. **Empty**: 0. **NaN and infinities**: as IEEE 754 has it: 0·inf is NaN, as are two infinities that
///   cancel. **Zero**: products that are all -0 sum to -0.
/// - **On the device**: f32 1 word, rounded there; i64, u64 5, the low word first, the last 1 where the sum does not fit the others. Of f64 the
///   host rounds: no words.
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

const ABOUT: &str = "Dot product of two inputs, rounded once; exact for integers";

exact_fold!(Dot over [f32; 2], [f64; 2]; Products, tested: true);
exact_fold!(Dot over [i64; 2], [u64; 2]; Products, tested: false);

exact_answer!(Dot = "dot" over [f32; 2], Dot, Products, ABOUT, f32, f32, Some(Rounding::SUM), |unit| unit,
    |acc, count| |unit| acc.quotient(unit, 1, count), |value, _count| value);
exact_answer!(Dot = "dot" over [f64; 2], Dot, Products, ABOUT, f64, f64, None, |unit| unit,
    |acc, count| |unit| acc.quotient(unit, 1, count), |value, _count| value);

whole_answer!(Dot = "dot" over [u64; 2]; ABOUT, natural_128 as u128, 5, "let limbs = acc.limbs;
let beyond = select(0u, 1u, (limbs[4] | limbs[5]) != 0u);
return array<u32, 5>(limbs[0], limbs[1], limbs[2], limbs[3], beyond);");
whole_answer!(Dot = "dot" over [i64; 2]; ABOUT, integer_128 as i128, 5, "let limbs = acc.limbs;
let above = bitcast<u32>(bitcast<i32>(limbs[3]) >> 31u);
let beyond = select(0u, 1u, ((limbs[4] ^ above) | (limbs[5] ^ above)) != 0u);
return array<u32, 5>(limbs[0], limbs[1], limbs[2], limbs[3], beyond);");
