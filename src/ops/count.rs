//! Counting the elements that hold some property.

use crate::{Op, Result, Word, accumulator};

accumulator! {
    /// A 64-bit count in two words.
    pub struct Count {
        /// Low word.
        low: u32,
        /// High word.
        high: u32,
    }
}

impl Count {
    pub(crate) const ZERO: Count = Count { low: 0, high: 0 };

    #[inline(always)]
    pub(crate) fn new(count: u64) -> Count {
        Count { low: count as u32, high: (count >> 32) as u32 }
    }
    #[inline(always)]
    pub(crate) fn total(self) -> u64 {
        u64::from(self.low) | u64::from(self.high) << 32
    }
    #[inline(always)]
    pub(crate) fn plus(self, other: Count) -> Count {
        Count::new(self.total() + other.total())
    }
}

/// The WGSL of a count of the elements for which `property` (an expression in `bits`) holds.
fn count_wgsl(property: &str) -> String {
    format!(
        "
fn identity() -> Acc {{ return Acc(0u, 0u); }}
fn lift(bits: u32, index: u32) -> Acc {{ return Acc(select(0u, 1u, {property}), 0u); }}
fn combine(a: Acc, b: Acc) -> Acc {{
    let sum = add64(vec2<u32>(a.low, a.high), vec2<u32>(b.low, b.high));
    return Acc(sum.x, sum.y);
}}
fn finish(acc: Acc, count: vec2<u32>) -> array<u32, 2> {{ return array<u32, 2>(acc.low, acc.high); }}"
    )
}

macro_rules! counting {
    ($(#[$doc:meta])* $name:ident, $text:literal, $about:literal, $x:ident => $holds:expr, $wgsl:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name;

        impl<T: Word> Op<T> for $name {
            type Acc = Count;
            type Output = u64;
            const ANSWER_WORDS: usize = 2;
            const ABOUT: &'static str = $about;
            const EXACT: bool = true;

            fn name(&self) -> &'static str {
                $text
            }
            #[inline(always)]
            fn identity(&self) -> Count {
                Count::ZERO
            }
            #[inline(always)]
            fn lift(&self, $x: T, _: u64) -> Count {
                Count::new(u64::from($holds))
            }
            #[inline(always)]
            fn combine(&self, a: Count, b: Count) -> Count {
                a.plus(b)
            }
            fn finish(&self, acc: Count, _: u64) -> Result<u64> {
                Ok(acc.total())
            }
            fn wgsl(&self) -> String {
                count_wgsl($wgsl)
            }
            #[inline(always)]
            fn fold(&self, elements: &[T], _: u64) -> Count {
                let blocks = elements.chunks(1 << 16);
                Count::new(blocks.map(|block| u64::from(block.iter().map(|&$x| u32::from($holds)).sum::<u32>())).sum())
            }
        }
    };
}

counting! {
    /// How many elements are not zero. A NaN is not zero; -0 is.
    ///
    /// **Order**: commutative. **Empty**: 0. **On the device**: 2 words (low, high).
    ///
    /// ```
    /// use treefold::{Cpu, ops::CountNonzero};
    /// assert_eq!(Cpu::new().reduce(CountNonzero, &[0.0f32, -0.0, 2.0, f32::NAN])?, 2);
    /// # Ok::<(), treefold::Error>(())
    /// ```
    CountNonzero, "count_nonzero", "How many elements are not zero", x => x != T::ZERO, "!is_zero(bits)"
}

counting! {
    /// How many elements are NaN; 0 for integers.
    ///
    /// **Order**: commutative. **Empty**: 0. **On the device**: 2 words (low, high).
    ///
    /// ```
    /// use treefold::{Cpu, ops::CountNan};
    /// assert_eq!(Cpu::new().reduce(CountNan, &[1.0f32, f32::NAN])?, 1);
    /// # Ok::<(), treefold::Error>(())
    /// ```
    CountNan, "count_nan", "How many elements are NaN", x => x.is_nan(), "is_nan(bits)"
}
