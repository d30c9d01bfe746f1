//! The smallest element and where it stands.

use super::arg_extreme::{arg_extreme, located_answer, located_wgsl};
use super::extreme::{End, element_of};
use super::{Found, Located};
use crate::element::{OrderKey, Scalar};
use crate::op::join;
use crate::{DeviceAnswer, Fold, Op, Result, Wgsl};

arg_extreme! {
    /// The smallest element and its index.
    ///
    /// - **Ties**: the lowest index ([`ArgMinLast`]: the highest); -0 and +0 tie. **NaN**: the lowest index of a NaN. **Empty**: `None`.
    /// - **Index**: u64, in the whole input. **On the device**: the element's bits (1 word, or 2 of 64 bits), then the index
    ///   (low, high).
    ///
    /// ```
    /// use treefold::{Cpu, ops::{ArgMin, Found}};
    /// assert_eq!(Cpu::new().reduce(ArgMin, &[4.0f32, 1.0, 1.0])?, Some(Found { value: 1.0, index: 1 }));
    /// # Ok::<(), treefold::Error>(())
    /// ```
    ArgMin, "argmin", "Smallest element and its index, the lowest among ties", End::Low, false
}

arg_extreme! {
    /// The smallest element and its index, the highest among ties; all else is as for [`ArgMin`].
    ///
    /// - **NaN**: the highest index of a NaN.
    ///
    /// ```
    /// use treefold::{Cpu, ops::{ArgMinLast, Found}};
    /// assert_eq!(Cpu::new().reduce(ArgMinLast, &[4.0f32, 1.0, 1.0])?, Some(Found { value: 1.0, index: 2 }));
    /// # Ok::<(), treefold::Error>(())
    /// ```
    ArgMinLast, "argmin_last", "Smallest element and its index, the highest among ties", End::Low, true
}
