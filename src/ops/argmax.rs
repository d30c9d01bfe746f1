//! The largest element and where it stands.

use super::arg_extreme::{arg_extreme, located_answer, located_wgsl};
use super::extreme::{End, element_of};
use super::{Found, Located};
use crate::element::{OrderKey, Scalar};
use crate::op::join;
use crate::{DeviceAnswer, Fold, Op, Result, Wgsl};

arg_extreme! {
    /// The largest element and its index.
    ///
    /// - **Ties**: the lowest index ([`ArgMaxLast`]: the highest); -0 and +0 tie. **NaN**: the lowest index of a NaN. **Empty**: `None`.
    /// - **Index**: u64, in the whole input. **On the device**: the element's bits (1 word, or 2 of 64 bits), then the index
    ///   (low, high).
    ///
    /// ```
    /// use treefold::{Cpu, ops::{ArgMax, Found}};
    /// assert_eq!(Cpu::new().reduce(ArgMax, &[4i32, 9, 9])?, Some(Found { value: 9, index: 1 }));
    /// # Ok::<(), treefold::Error>(())
    /// ```
    ArgMax, "argmax", "Largest element and its index, the lowest among ties", End::High, false
}

arg_extreme! {
    /// The largest element and its index, the highest among ties; all else is as for [`ArgMax`].
    ///
    /// - **NaN**: the highest index of a NaN.
    ///
    /// ```
    /// use treefold::{Cpu, ops::{ArgMaxLast, Found}};
    /// assert_eq!(Cpu::new().reduce(ArgMaxLast, &[4i32, 9, 9])?, Some(Found { value: 9, index: 2 }));
    /// # Ok::<(), treefold::Error>(())
    /// ```
    ArgMaxLast, "argmax_last", "Largest element and its index, the highest among ties", End::High, true
}
