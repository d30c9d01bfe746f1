//! Operators on words: bitwise and, or, xor, and the two quantifiers.

use crate::op::WordType;
use crate::{DeviceAnswer, Fold, Op, Result, Wgsl};

/// One operator whose accumulator is a word: how it starts, lifts, combines and finishes, in Rust and in WGSL.
macro_rules! word_operator {
    ($(#[$doc:meta])* $name:ident, $text:literal, $about:literal, ($($for:ty: $output:ty: $acc:ident => $finish:expr),*),
     $identity:literal, $x:ident => $lift:expr, $lift_wgsl:literal, $op:tt) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name;

        $(impl Fold<$for> for $name {
            type Acc = u32;

            #[inline(always)]
            fn identity(&self) -> u32 {
                $identity
            }
            #[inline(always)]
            fn lift(&self, $x: $for, _: u64) -> u32 {
                $lift
            }
            #[inline(always)]
            fn combine(&self, a: u32, b: u32) -> u32 {
                a $op b
            }
            fn wgsl(&self) -> Wgsl {
                Wgsl::new(
                    concat!("return ", stringify!($identity), "u;"),
                    concat!("return ", $lift_wgsl, ";"),
                    concat!("return a ", stringify!($op), " b;"),
                )
                .checked()
            }
        }

        impl Op<$for> for $name {
            type Fold = $name;
            type Output = $output;
            const NAME: &'static str = $text;
            const ABOUT: &'static str = $about;
            const EXACT: bool = true;

            fn fold(&self) -> $name {
                $name
            }
            fn finish(&self, $acc: u32, _: u64) -> Result<$output> {
                Ok($finish)
            }
            fn answer(&self) -> Option<DeviceAnswer> {
                Some(DeviceAnswer::checked([($text, WordType::U32)], "return array<u32, 1>(acc);"))
            }
            fn read(&self, words: &[u32], count: u64) -> Result<$output> {
                Op::<$for>::finish(self, words[0], count)
            }
        })*
    };
}

word_operator! {
    /// Whether any element is not zero (a NaN is not). **Empty**: false. **On the device**: 1 word, 0 or 1.
    ///
    /// ```
    /// use treefold::{Cpu, ops::Any};
    /// assert!(Cpu::new().reduce(Any, &[0i32, 0, 3])?);
    /// # Ok::<(), treefold::Error>(())
    /// ```
    Any, "any", "Whether any element is not zero", (f32: bool: acc => acc != 0, i32: bool: acc => acc != 0, u32: bool: acc => acc != 0), 0, x => u32::from(x != crate::Element::ZERO), "select(1u, 0u, is_zero(bits))", |
}

word_operator! {
    /// Whether all elements are not zero (a NaN is not). **Empty**: true. **On the device**: 1 word, 0 or 1.
    ///
    /// ```
    /// use treefold::{Cpu, ops::All};
    /// assert!(!Cpu::new().reduce(All, &[1.0f32, 0.0, 3.0])?);
    /// # Ok::<(), treefold::Error>(())
    /// ```
    All, "all", "Whether all elements are not zero", (f32: bool: acc => acc != 0, i32: bool: acc => acc != 0, u32: bool: acc => acc != 0), 1, x => u32::from(x != crate::Element::ZERO), "select(1u, 0u, is_zero(bits))", &
}

macro_rules! bitwise {
    ($(#[$doc:meta])* $name:ident, $text:literal, $about:literal, $identity:literal, $op:tt) => {
        word_operator! { $(#[$doc])* $name, $text, $about, (u32: u32: acc => acc, i32: i32: acc => acc as i32), $identity, x => x as u32, "bits", $op }
    };
}

bitwise! {
    /// The bitwise and of all elements; integers. **Empty**: all ones. **On the device**: 1 word.
    ///
    /// ```
    /// use treefold::{Cpu, ops::And};
    /// assert_eq!(Cpu::new().reduce(And, &[0b1110u32, 0b0111])?, 0b0110);
    /// # Ok::<(), treefold::Error>(())
    /// ```
    And, "and", "Bitwise and; integers", 0xffffffff, &
}

bitwise! {
    /// The bitwise or of all elements; integers. **Empty**: 0. **On the device**: 1 word.
    ///
    /// ```
    /// use treefold::{Cpu, ops::Or};
    /// assert_eq!(Cpu::new().reduce(Or, &[0b1000u32, 0b0001])?, 0b1001);
    /// # Ok::<(), treefold::Error>(())
    /// ```
    Or, "or", "Bitwise or; integers", 0, |
}

bitwise! {
    /// The bitwise exclusive or of all elements; integers. **Empty**: 0. **On the device**: 1 word.
    ///
    /// ```
    /// use treefold::{Cpu, ops::Xor};
    /// assert_eq!(Cpu::new().reduce(Xor, &[0b1100i32, 0b1010])?, 0b0110);
    /// # Ok::<(), treefold::Error>(())
    /// ```
    Xor, "xor", "Bitwise exclusive or; integers", 0, ^
}
