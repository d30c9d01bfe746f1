//! Exact sum: the real-number result, rounded once.

use super::exact::{Elements, exact_operator, finish};
use crate::half::f16;

/// The sum of all elements as if computed in real numbers and rounded once to nearest, ties to even.
///
/// - **Exact**: the same bits on every adapter, whatever the order, the launch shape, the parts and the version.
/// - **f32, f16**: an f32. **f64**: an f64, on every adapter: kernels read two words, no `SHADER_F64` needed.
/// - **Order**: any; partial sums merge in any order. **Empty**: 0.
/// - **NaN and infinities**: NaN if there is a NaN, or both infinities; else the infinity.
/// - **Zero**: a sum of only -0 is -0, every other zero sum is +0. **Subnormals** count in full. **Overflow** is that of the
///   rounded result alone: max + max - max is max.
/// - **On the device**: 1 word, for f64 2 words (low, high), rounded there.
///
/// ```
/// use treefold::{Cpu, ops::ExactSum};
/// let cpu = Cpu::new();
/// assert_eq!(cpu.reduce(ExactSum, &[16_777_216.0f32, 1.0, -16_777_216.0])?, 1.0);
/// assert_eq!(cpu.reduce(ExactSum, &[f32::MAX, f32::MAX, -f32::MAX])?, f32::MAX);
/// assert_eq!(cpu.reduce(ExactSum, &[0.1f64; 10])?, 1.0);
/// # Ok::<(), treefold::Error>(())
/// ```
///
/// Source: Kulisch's long accumulator; bins by exponent as in Neal's superaccumulators (2015), in workgroup memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExactSum;

exact_operator!(ExactSum, "exact_sum", "Sum, rounded once", f32, Elements, f32, 1, finish::SUM, 1,
    |acc, count| acc.quotient(-150, 1, count));
exact_operator!(ExactSum, "exact_sum", "Sum, rounded once", f16, Elements, f32, 1, finish::SUM, -93,
    |acc, count| acc.quotient(-56, 1, count));
exact_operator!(ExactSum, "exact_sum", "Sum, rounded once", f64, Elements, f64, 2, finish::SUM_F64, 1,
    |acc, count| acc.quotient(-1075, 1, count));
