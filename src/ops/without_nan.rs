//! Operators that refuse NaN, and say where the first one stands.

use super::ArgMin;
use super::extreme::End;
use crate::element::Scalar;
use crate::op::BinAxis;
use crate::{Acc, Error, Op, Result};

/// An operator over elements none of which may be NaN, in the one read of the elements: a NaN is an error that names the place of the first one.
///
/// All else is as the operator has it: its answer, its order, its bound. [`Filtered::not_nan`](super::Filtered::not_nan) leaves NaN out
/// instead.
///
/// - **Order**: the operator's. **Place**: of the first NaN, from 0, in the whole input; in rows and segments in its own.
/// - **Errors**: [`Error::IsNan`], beside those of the operator. Of many answers one NaN fails all of them.
/// - **Partials** keep a NaN, and its place, until an answer is asked for.
/// - No device answer: for `reduce`, not `record`.
///
/// ```
/// use treefold::{Cpu, Error, ops::{Mean, WithoutNan}};
/// let cpu = Cpu::new();
/// assert_eq!(cpu.reduce(WithoutNan(Mean), &[1.0f32, 3.0])?, Some(2.0));
/// let refused = cpu.reduce(WithoutNan(Mean), &[1.0, f32::NAN, 3.0, f32::NAN]);
/// assert!(matches!(refused, Err(Error::IsNan { index: 1, .. })));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct WithoutNan<O>(pub O);

impl<T: Scalar, O: Op<T>> Op<T> for WithoutNan<O> {
    // The smallest element with its place is the first NaN, where there is one.
    type Fold = (O::Fold, ArgMin);
    type Output = O::Output;
    const NAME: &'static str = O::NAME;
    const ABOUT: &'static str = O::ABOUT;
    const EXACT: bool = O::EXACT;

    fn fold(&self) -> Self::Fold {
        (self.0.fold(), ArgMin)
    }
    fn finish(&self, acc: Acc<T, Self>, count: u64) -> Result<O::Output> {
        match acc.1.found::<T>(End::Low, count) {
            Some(first) if first.value.is_nan() && first.index != u64::MAX => {
                Err(Error::IsNan { operator: self.0.name(), index: first.index })
            }
            _ => self.0.finish(acc.0, count),
        }
    }
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn is_exact(&self) -> bool {
        self.0.is_exact()
    }
    fn picks(&self) -> bool {
        self.0.picks()
    }
    fn is_shareable(&self) -> bool {
        self.0.is_shareable()
    }
    /// The operator's, and what it refuses: `mean without nan`.
    fn signature(&self) -> String {
        format!("{} without nan", self.0.signature())
    }
    fn axes(&self) -> Vec<BinAxis> {
        self.0.axes()
    }
    fn close(&self, device: &O::Output, host: &O::Output, elements: &[T], finished: bool) -> bool {
        self.0.close(device, host, elements, finished)
    }
}
