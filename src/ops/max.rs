//! Maximum.

use super::extreme::{End, Rank, element_of, extreme, rank_answer, rank_wgsl};
use crate::element::{OrderKey, Scalar};
use crate::{DeviceAnswer, Fold, Op, Result, Wgsl};

extreme! {
    /// The largest element.
    ///
    /// - **Order**: commutative; the answer does not depend on it. **Empty**: `None`.
    /// - **NaN**: any NaN gives NaN, decided on the bits. **Zeros**: -0 and +0 are equal; +0 is reported if there is one.
    /// - **On the device**: the element's bits: 1 word, or 2 (low, high) of 64 bits.
    ///
    /// ```
    /// use treefold::{Cpu, ops::Max};
    /// assert_eq!(Cpu::new().reduce(Max, &[3u32, 9, 4])?, Some(9));
    /// # Ok::<(), treefold::Error>(())
    /// ```
    Max, "max", "Largest element; NaN if there is one", End::High
}
