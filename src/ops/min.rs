//! Minimum.

use super::extreme::{End, Rank, element_of, extreme, rank_answer, rank_wgsl};
use crate::element::{OrderKey, Scalar};
use crate::{DeviceAnswer, Fold, Op, Result, Wgsl};

extreme! {
    /// The smallest element.
    ///
    /// - **Order**: commutative; the answer does not depend on it. **Empty**: `None`.
    /// - **NaN**: any NaN gives NaN, decided on the bits. **Zeros**: -0 and +0 are equal; -0 is reported if there is one.
    /// - **On the device**: the element's bits: 1 word, or 2 (low, high) of 64 bits.
    ///
    /// ```
    /// use treefold::{Cpu, ops::Min};
    /// let cpu = Cpu::new();
    /// assert_eq!(cpu.reduce(Min, &[3.5f32, -2.0, 8.0])?, Some(-2.0));
    /// assert_eq!(cpu.reduce(Min, &[] as &[i32])?, None);
    /// assert!(cpu.reduce(Min, &[1.0f32, f32::NAN])?.is_some_and(f32::is_nan));
    /// # Ok::<(), treefold::Error>(())
    /// ```
    Min, "min", "Smallest element; NaN if there is one", End::Low
}
