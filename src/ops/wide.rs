//! Integer accumulators that are wider on the host than on the device.

use crate::Accumulator;
use crate::op::Member;
use std::marker::PhantomData;
use std::ops::Add;

/// An exact integer sum: 64 bits on the device, which 2^32 elements cannot overflow, and 128 bits on the host,
/// where the sums of many devices, chunks and threads meet. `W` is `i64` or `u64`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sum64<W>(i128, PhantomData<W>);

impl<W> Sum64<W> {
    pub(crate) const ZERO: Self = Sum64(0, PhantomData);
    #[inline(always)]
    pub(crate) fn new(total: i128) -> Self {
        Sum64(total, PhantomData)
    }
    pub(crate) fn total(self) -> i128 {
        self.0
    }
    /// The sum of a slice, in 64-bit lanes that up to 2^32 elements cannot overflow.
    #[inline(always)]
    pub(crate) fn of<T: Copy>(elements: &[T]) -> Self
    where
        W: From<T> + std::iter::Sum<W> + Into<i128>,
    {
        let blocks = elements.chunks(1 << 30);
        Self::new(blocks.map(|block| block.iter().map(|&x| W::from(x)).sum::<W>().into()).sum())
    }
}

impl<W> Add for Sum64<W> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::new(self.0 + other.0)
    }
}

macro_rules! sum64_words {
    ($wide:ty) => {
        impl Accumulator for Sum64<$wide> {
            const WORDS: usize = 2;
            const WGSL: &'static str = "struct Acc { low: u32, high: u32, }";
            const MEMBERS: &'static [Member] =
                &[Member { name: "low", of: "u32", words: 1 }, Member { name: "high", of: "u32", words: 1 }];
            fn write(&self, words: &mut [u32]) {
                (words[0], words[1]) = (self.0 as u32, (self.0 >> 32) as u32);
            }
            fn fits(&self) -> bool {
                <$wide>::try_from(self.0).is_ok()
            }
            fn read(words: &[u32]) -> Self {
                let bits = u64::from(words[0]) | u64::from(words[1]) << 32;
                Self::new(i128::from(bits as $wide))
            }
        }
    };
}

sum64_words!(i64);
sum64_words!(u64);
