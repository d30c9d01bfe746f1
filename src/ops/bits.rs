//! Operators on words: bitwise and, or, xor, and the quantifiers.

use crate::element::Scalar;
use crate::half::f16;
use crate::op::WordType;
use crate::{Accumulator, DeviceAnswer, Fold, Op, Result, Wgsl};

/// One operator on bits: its accumulator is one or two words, each for itself.
macro_rules! bit_operator {
    ($(#[$doc:meta])* $name:ident, $text:literal, $about:literal, $op:tt, $atomic:literal,
     $(($($for:ty),+: $acc:ty, $output:ty): $identity:expr, $x:ident => $lift:expr, $lift_wgsl:literal, $a:ident => $finish:expr;)+) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name;

        $($(impl Fold<$for> for $name {
            type Acc = $acc;

            #[inline(always)]
            fn identity(&self) -> $acc {
                $identity
            }
            #[inline(always)]
            fn lift(&self, $x: $for, _: u64) -> $acc {
                $lift
            }
            #[inline(always)]
            fn combine(&self, a: $acc, b: $acc) -> $acc {
                a $op b
            }
            fn wgsl(&self) -> Wgsl {
                let identity: $acc = $identity;
                match <$acc>::WORDS {
                    1 => Wgsl::new(
                        format!("return {identity}u;"),
                        concat!("return ", $lift_wgsl, ";"),
                        concat!("return a ", stringify!($op), " b;"),
                    )
                    .atomic($atomic),
                    _ => Wgsl::new(
                        format!("return Acc({0}u, {0}u);", identity as u32),
                        "return Acc(bits.x, bits.y);",
                        concat!("return Acc(a.low ", stringify!($op), " b.low, a.high ", stringify!($op), " b.high);"),
                    ),
                }
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
            fn finish(&self, $a: $acc, _: u64) -> Result<$output> {
                Ok($finish)
            }
            fn answer(&self) -> Option<DeviceAnswer> {
                Some(match <$acc>::WORDS {
                    1 => DeviceAnswer::checked([($text, WordType::U32)], "return array<u32, 1>(acc);"),
                    _ => DeviceAnswer::checked([($text, WordType::Part); 2], "return array<u32, 2>(acc.low, acc.high);"),
                })
            }
            fn read(&self, words: &[u32], count: u64) -> Result<$output> {
                Op::<$for>::finish(self, <$acc>::read(words), count)
            }
        })+)+
    };
}

/// A quantifier over elements that are not zero.
macro_rules! quantifier {
    ($(#[$doc:meta])* $name:ident, $text:literal, $about:literal, $op:tt, $atomic:literal, $identity:literal) => {
        bit_operator! { $(#[$doc])* $name, $text, $about, $op, $atomic,
            (f32, f16, f64, i32, u32, i64, u64: u32, bool): $identity, x => u32::from(x != crate::Element::ZERO), "select(1u, 0u, is_zero(bits))", acc => acc != 0;
        }
    };
}

quantifier! {
    /// Whether any element is not zero (a NaN is not). **Empty**: false. **On the device**: 1 word, 0 or 1.
    ///
    /// ```
    /// use treefold::{Cpu, ops::Any};
    /// assert!(Cpu::new().reduce(Any, &[0i32, 0, 3])?);
    /// # Ok::<(), treefold::Error>(())
    /// ```
    Any, "any", "Whether any element is not zero", |, "atomicOr", 0
}

quantifier! {
    /// Whether all elements are not zero (a NaN is not). **Empty**: true. **On the device**: 1 word, 0 or 1.
    ///
    /// ```
    /// use treefold::{Cpu, ops::All};
    /// assert!(!Cpu::new().reduce(All, &[1.0f32, 0.0, 3.0])?);
    /// # Ok::<(), treefold::Error>(())
    /// ```
    All, "all", "Whether all elements are not zero", &, "atomicAnd", 1
}

/// Whether no element is not zero: all are zero (a NaN is not). **Empty**: true. **On the device**: 1 word, 0 or 1.
///
/// ```
/// use treefold::{Cpu, ops::NoneOf};
/// assert!(Cpu::new().reduce(NoneOf, &[0.0f32, -0.0])?);
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct NoneOf;

impl<T: Scalar> Op<T> for NoneOf
where
    Any: Fold<T, Acc = u32>,
{
    type Fold = Any;
    type Output = bool;
    const NAME: &'static str = "none";
    const ABOUT: &'static str = "Whether no element is not zero";
    const EXACT: bool = true;

    fn fold(&self) -> Any {
        Any
    }
    fn finish(&self, acc: u32, _: u64) -> Result<bool> {
        Ok(acc == 0)
    }
    fn answer(&self) -> Option<DeviceAnswer> {
        Some(DeviceAnswer::checked([("none", WordType::U32)], "return array<u32, 1>(1u - acc);"))
    }
    fn read(&self, words: &[u32], _: u64) -> Result<bool> {
        Ok(words.first().is_some_and(|&none| none != 0))
    }
}

macro_rules! bitwise {
    ($(#[$doc:meta])* $name:ident, $text:literal, $about:literal, $op:tt, $atomic:literal, $identity:ident) => {
        bit_operator! { $(#[$doc])* $name, $text, $about, $op, $atomic,
            (u32: u32, u32): u32::$identity, x => x, "bits", acc => acc;
            (i32: u32, i32): u32::$identity, x => x as u32, "bits", acc => acc as i32;
            (u64: u64, u64): u64::$identity, x => x, "bits", acc => acc;
            (i64: u64, i64): u64::$identity, x => x as u64, "bits", acc => acc as i64;
        }
    };
}

bitwise! {
    /// The bitwise and of all elements; integers. **Empty**: all ones. **On the device**: 1 word, or 2 (low, high) of 64 bits.
    ///
    /// ```
    /// use treefold::{Cpu, ops::And};
    /// assert_eq!(Cpu::new().reduce(And, &[0b1110u32, 0b0111])?, 0b0110);
    /// # Ok::<(), treefold::Error>(())
    /// ```
    And, "and", "Bitwise and; integers", &, "atomicAnd", MAX
}

bitwise! {
    /// The bitwise or of all elements; integers. **Empty**: 0. **On the device**: 1 word, or 2 (low, high) of 64 bits.
    ///
    /// ```
    /// use treefold::{Cpu, ops::Or};
    /// assert_eq!(Cpu::new().reduce(Or, &[0b1000u32, 0b0001])?, 0b1001);
    /// # Ok::<(), treefold::Error>(())
    /// ```
    Or, "or", "Bitwise or; integers", |, "atomicOr", MIN
}

bitwise! {
    /// The bitwise exclusive or of all elements; integers. **Empty**: 0. **On the device**: 1 word, or 2 (low, high) of 64 bits.
    ///
    /// ```
    /// use treefold::{Cpu, ops::Xor};
    /// assert_eq!(Cpu::new().reduce(Xor, &[0b1100i32, 0b1010])?, 0b0110);
    /// # Ok::<(), treefold::Error>(())
    /// ```
    Xor, "xor", "Bitwise exclusive or; integers", ^, "atomicXor", MIN
}
