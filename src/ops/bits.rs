//! Operators on words: bitwise and, or, xor, and the two quantifiers.

use crate::{Op, Result};

/// One operator whose accumulator is a word: how it starts, lifts, combines and finishes, in Rust and in WGSL.
macro_rules! word_operator {
    ($(#[$doc:meta])* $name:ident, $text:literal, $about:literal, ($($for:ty),*), $output:ty, $identity:literal,
     $x:ident => $lift:expr, $lift_wgsl:literal, $op:tt, $acc:ident => $finish:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name;

        $(impl Op<$for> for $name {
            type Acc = u32;
            type Output = $output;
            const ANSWER_WORDS: usize = 1;
            const ABOUT: &'static str = $about;
            const EXACT: bool = true;

            fn name(&self) -> &'static str {
                $text
            }
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
            fn finish(&self, $acc: u32, _: u64) -> Result<$output> {
                Ok($finish)
            }
            fn wgsl(&self) -> String {
                concat!(
                    "fn identity() -> Acc { return ", stringify!($identity), "u; }\n",
                    "fn lift(bits: u32, index: u32) -> Acc { return ", $lift_wgsl, "; }\n",
                    "fn combine(a: Acc, b: Acc) -> Acc { return a ", stringify!($op), " b; }\n",
                    "fn finish(acc: Acc, count: vec2<u32>) -> array<u32, 1> { return array<u32, 1>(acc); }"
                ).into()
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
    Any, "any", "Whether any element is not zero", (f32, i32, u32), bool, 0, x => u32::from(x != crate::Element::ZERO), "select(1u, 0u, is_zero(bits))", |, acc => acc != 0
}

word_operator! {
    /// Whether all elements are not zero (a NaN is not). **Empty**: true. **On the device**: 1 word, 0 or 1.
    ///
    /// ```
    /// use treefold::{Cpu, ops::All};
    /// assert!(!Cpu::new().reduce(All, &[1.0f32, 0.0, 3.0])?);
    /// # Ok::<(), treefold::Error>(())
    /// ```
    All, "all", "Whether all elements are not zero", (f32, i32, u32), bool, 1, x => u32::from(x != crate::Element::ZERO), "select(1u, 0u, is_zero(bits))", &, acc => acc != 0
}

macro_rules! bitwise {
    ($(#[$doc:meta])* $name:ident, $text:literal, $about:literal, $identity:literal, $op:tt) => {
        word_operator! { $(#[$doc])* $name, $text, $about, (u32), u32, $identity, x => x, "bits", $op, acc => acc }

        impl Op<i32> for $name {
            type Acc = u32;
            type Output = i32;
            const ANSWER_WORDS: usize = 1;
            const ABOUT: &'static str = $about;
            const EXACT: bool = true;

            fn name(&self) -> &'static str {
                $text
            }
            #[inline(always)]
            fn identity(&self) -> u32 {
                Op::<u32>::identity(self)
            }
            #[inline(always)]
            fn lift(&self, x: i32, index: u64) -> u32 {
                Op::<u32>::lift(self, x as u32, index)
            }
            #[inline(always)]
            fn combine(&self, a: u32, b: u32) -> u32 {
                Op::<u32>::combine(self, a, b)
            }
            fn finish(&self, acc: u32, _: u64) -> Result<i32> {
                Ok(acc as i32)
            }
            fn wgsl(&self) -> String {
                Op::<u32>::wgsl(self)
            }
        }
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
