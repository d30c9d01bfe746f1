//! Exact mean: the exact sum and one division, rounded once.

use super::exact::{Elements, exact_operator, finish};
use crate::half::f16;

/// The arithmetic mean as if computed in real numbers and rounded once to nearest, ties to even.
///
/// - **Exact**: the same bits on every adapter, whatever the order, the launch shape, the parts and the version.
/// - **f32, f16**: an f32. **f64**: an f64. **Order**: any. **Empty**: `None`.
/// - **NaN, infinities, zeros**: as for [`ExactSum`](super::ExactSum).
/// - **On the device**: 1 word, for f64 2 words (low, high), rounded there.
///
/// ```
/// use treefold::{Cpu, ops::ExactMean};
/// assert_eq!(Cpu::new().reduce(ExactMean, &[f32::MAX, f32::MAX])?, Some(f32::MAX));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct ExactMean;

exact_operator!(ExactMean, "exact_mean", "Mean, rounded once", f32, Elements, Option<f32>, 1, finish::MEAN, 1,
    |acc, count| (count > 0).then(|| acc.quotient(-150, count, count)));
exact_operator!(ExactMean, "exact_mean", "Mean, rounded once", f16, Elements, Option<f32>, 1, finish::MEAN, -93,
    |acc, count| (count > 0).then(|| acc.quotient(-56, count, count)));
exact_operator!(ExactMean, "exact_mean", "Mean, rounded once", f64, Elements, Option<f64>, 2, finish::MEAN_F64, 1,
    |acc, count| (count > 0).then(|| acc.quotient(-1075, count, count)));
