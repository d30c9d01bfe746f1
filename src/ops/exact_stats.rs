//! The usual summary of a data set, every part of it exact, in one read.

use super::{ArgMax, ArgMin, CountNan, ExactSum, ExactSumOfSquares, Summary};
use crate::selftest::Trial;
use crate::shader::{Dialect, Module};
use crate::{Op, Result};

/// Count, NaN count, sum, mean, standard deviation, minimum and maximum with their indices: one read of the data, and every
/// number as if computed in real numbers and rounded once.
///
/// The sum is that of [`ExactSum`]; mean and deviation are f64. The deviation comes from Σx and Σx² as integers that no
/// addition rounds, n·Σx² - (Σx)² over n·(n - ddof), so nothing cancels.
///
/// - **Exact**: the same bits on every adapter, whatever the launch shape, the parts and the version.
/// - **NaN**: sum, mean, deviation, minimum and maximum are NaN if there is one. **Infinities**: as for [`ExactSum`]; the
///   deviation is NaN. **Empty**: sum 0, `None` for the rest.
/// - No device answer: for `reduce`, not `record`.
///
/// ```
/// use treefold::{Cpu, ops::ExactStats};
/// let summary = Cpu::new().reduce(ExactStats::default(), &[1e8f32, 1e8, 1e8 + 8.0, 1e8 + 8.0])?;
/// assert_eq!((summary.mean, summary.std), (Some(1e8 + 4.0), Some(4.0)));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct ExactStats {
    /// Delta degrees of freedom of the standard deviation.
    pub ddof: u32,
}

type Parts = (CountNan, ExactSum, ExactSumOfSquares, ArgMin, ArgMax);
const PARTS: Parts = (CountNan, ExactSum, ExactSumOfSquares, ArgMin, ArgMax);

impl Op<f32> for ExactStats {
    type Acc = <Parts as Op<f32>>::Acc;
    type Output = Summary<f32, f32>;
    const ANSWER_WORDS: usize = 0;
    const ABOUT: &'static str = "Count, NaN count, sum, mean, std, min and max with their indices; all rounded once";
    const EXACT: bool = true;
    const PLACES: bool = true;
    const ELEMENTS_MAX: u64 = <Parts as Op<f32>>::ELEMENTS_MAX;

    fn name(&self) -> &'static str {
        "exact_stats"
    }
    fn identity(&self) -> Self::Acc {
        Op::<f32>::identity(&PARTS)
    }
    #[inline(always)]
    fn lift(&self, x: f32, index: u64) -> Self::Acc {
        PARTS.lift(x, index)
    }
    #[inline(always)]
    fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc {
        Op::<f32>::combine(&PARTS, a, b)
    }
    fn finish(&self, acc: Self::Acc, count: u64) -> Result<Summary<f32, f32>> {
        let (nan_count, sum, _, min, max) = Op::<f32>::finish(&PARTS, acc, count)?;
        let mean = (count > 0).then(|| acc.1.quotient(-150, count, count));
        let std = (count > self.ddof.into()).then(|| acc.1.deviation(&acc.2, -150, count, self.ddof.into()));
        Ok(Summary { count, nan_count, sum, mean, std, min, max })
    }
    fn wgsl(&self) -> String {
        Op::<f32>::wgsl(&PARTS)
    }
    fn is_right(&self, trial: &Trial) -> Result<bool> {
        Op::<f32>::is_right(&PARTS, trial)
    }
    fn module(&self, dialect: Dialect) -> Module {
        Op::<f32>::module(&PARTS, dialect)
    }
    #[inline(always)]
    fn fold(&self, elements: &[f32], index: u64) -> Self::Acc {
        PARTS.fold(elements, index)
    }
}
