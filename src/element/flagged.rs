//! Elements with flags: numbers of which some do not count.

use super::{Dtype, Element, OwnType, Scalar};
use bytemuck::{Pod, Zeroable};
use half::{bf16, f16};
use std::cmp::Ordering;
use std::fmt;

/// A number and its flag, which says whether it counts: the elements of [`Filtered::masked`](crate::ops::Filtered::masked).
///
/// Seldom made one by one: [`Input::masked`](crate::Input::masked) reads numbers and flags from two buffers,
/// [`MaskedSlice`](crate::MaskedSlice) from two slices. In a buffer of both, a flag has as many bytes as the number, which stands first; of a
/// number of one byte the three bytes above it. It counts where any bit of the flag is set.
///
/// ```
/// use treefold::{Cpu, Flagged, ops::{Filtered, Mean}};
/// let readings = [Flagged::new(20.5f32, true), Flagged::new(-999.0, false), Flagged::new(21.5, true)];
/// let mean = Cpu::new().reduce(Filtered::masked(Mean), &readings)?;
/// assert_eq!((mean.answer, mean.left_out), (Some(21.0), 1));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct Flagged<T: Flaggable> {
    /// The number.
    pub value: T,
    flag: T::Flag,
}

/// The numbers that can have flags: every type of numbers that the library knows.
pub trait Flaggable: Element + sealed::Sized {
    /// The type that it is read as: itself, but for narrow ones.
    type Wide: Scalar;
    /// The flag beside it, in as many bytes, of one byte in three.
    type Flag: Pod + Default + fmt::Debug + Send + Sync;
    /// The flag of what counts.
    #[doc(hidden)]
    const SET: Self::Flag;
    /// The type of both.
    #[doc(hidden)]
    const TYPE: &'static OwnType;
    /// The bits of the wide number, and whether it counts, by the `bits` of both in WGSL.
    #[doc(hidden)]
    const WGSL: [&'static str; 2];
    /// The number as it is read.
    fn wide(self) -> Self::Wide;
}

mod sealed {
    pub trait Sized {}
}

impl<T: Flaggable> Flagged<T> {
    /// A number that counts, or does not.
    pub fn new(value: T, counts: bool) -> Self {
        Flagged { value, flag: if counts { T::SET } else { T::Flag::default() } }
    }

    /// Whether it counts.
    #[inline(always)]
    pub fn counts(self) -> bool {
        bytemuck::bytes_of(&self.flag).iter().any(|&byte| byte != 0)
    }
}

impl<T: Flaggable> fmt::Debug for Flagged<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.counts();
        f.debug_struct("Flagged").field("value", &self.value).field("counts", &counts).finish()
    }
}

impl<T: Flaggable> PartialEq for Flagged<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value && self.counts() == other.counts()
    }
}

impl<T: Flaggable> PartialOrd for Flagged<T> {
    /// By the numbers, then by whether they count.
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.value.partial_cmp(&other.value)?.then(self.counts().cmp(&other.counts())))
    }
}

// SAFETY: of two parts of one size and alignment, or four of one byte, which all bits and all zeros are one of: nothing lies between or behind.
unsafe impl<T: Flaggable> Zeroable for Flagged<T> {}
// SAFETY: as above.
unsafe impl<T: Flaggable> Pod for Flagged<T> {}

impl<T: Flaggable> Element for Flagged<T> {
    const DTYPE: Dtype = Dtype::Own(T::TYPE);
    const ZERO: Self = Flagged { value: T::ZERO, flag: T::SET };

    fn pattern(self) -> u64 {
        let own = bytemuck::bytes_of(&self);
        own.iter().take(8).rev().fold(0, |all, &byte| all << 8 | u64::from(byte))
    }
    fn from_pattern(pattern: u64) -> Self {
        let mut made = Self::zeroed();
        let own = bytemuck::bytes_of_mut(&mut made);
        own.iter_mut().zip(pattern.to_le_bytes()).for_each(|(to, byte)| *to = byte);
        made
    }
}

/// A type of numbers, its flag, and the WGSL of both.
macro_rules! flaggable {
    ($($type:ty, $wide:ty, $flag:ty = $set:expr, $name:literal, $value:literal, $counts:literal;)+) => {$(
        impl sealed::Sized for $type {}
        impl Flaggable for $type {
            type Wide = $wide;
            type Flag = $flag;
            const SET: $flag = $set;
            const TYPE: &'static OwnType = &OwnType::new($name, size_of::<Flagged<$type>>() as u64)
                .value("", <$type as Element>::DTYPE.wgsl())
                .of(<$type as Element>::DTYPE)
                .built_in();
            const WGSL: [&'static str; 2] = [$value, $counts];
            #[inline(always)]
            fn wide(self) -> $wide {
                self.into()
            }
        }
    )+};
}

flaggable! {
    f32, f32, u32 = 1, "flagged f32", "bits.x", "bits.y != 0u";
    i32, i32, u32 = 1, "flagged i32", "bits.x", "bits.y != 0u";
    u32, u32, u32 = 1, "flagged u32", "bits.x", "bits.y != 0u";
    f64, f64, u64 = 1, "flagged f64", "bits.xy", "any(bits.zw != vec2<u32>(0u))";
    i64, i64, u64 = 1, "flagged i64", "bits.xy", "any(bits.zw != vec2<u32>(0u))";
    u64, u64, u64 = 1, "flagged u64", "bits.xy", "any(bits.zw != vec2<u32>(0u))";
    f16, f16, u16 = 1, "flagged f16", "bits & 0xffffu", "bits > 0xffffu";
    bf16, f32, u16 = 1, "flagged bf16", "bits << 16u", "bits > 0xffffu";
    i16, i32, u16 = 1, "flagged i16", "bitcast<u32>(bitcast<i32>(bits << 16u) >> 16u)", "bits > 0xffffu";
    u16, u32, u16 = 1, "flagged u16", "bits & 0xffffu", "bits > 0xffffu";
    i8, i32, [u8; 3] = [1, 0, 0], "flagged i8", "bitcast<u32>(bitcast<i32>(bits << 24u) >> 24u)", "bits > 0xffu";
    u8, u32, [u8; 3] = [1, 0, 0], "flagged u8", "bits & 0xffu", "bits > 0xffu";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_stand_above_numbers() {
        fn of<T: Flaggable>(value: T, bytes: usize, pattern: u64) {
            let (set, clear) = (Flagged::new(value, true), Flagged::new(value, false));
            assert_eq!((size_of_val(&set) as u64, Flagged::<T>::DTYPE.bytes()), (bytes as u64, bytes as u64));
            assert_eq!(set.pattern(), pattern);
            assert!(set.counts() && !clear.counts() && clear < set);
            if bytes <= 8 {
                assert_eq!([Flagged::from_pattern(pattern), Flagged::from_pattern(clear.pattern())], [set, clear]);
            }
        }
        of(1.0f32, 8, 1 << 32 | 0x3f80_0000);
        of(-1i32, 8, 1 << 32 | 0xffff_ffff);
        of(-1i64, 16, u64::MAX);
        of(f16::ONE, 4, 0x1_3c00);
        of(-1i16, 4, 0x1_ffff);
        of(-1i8, 4, 0x1ff);
        of(7u8, 4, 0x107);
    }
}
