//! Sums of a function of the elements, in f64 on the host and in pairs of f32 on a device: what means of other kinds are made of.

use super::doubles::{Doubles, NO_F64, no_wgsl, sum_in_lanes};
use crate::op::Member;
use crate::{Accumulator, Fold, Wgsl};
use std::fmt::Debug;
use std::marker::PhantomData;

/// A function of an element, whose values are summed.
pub trait Function: Clone + Copy + Debug + Send + Sync + 'static {
    /// `fn taken_as(bits: u32) -> u32`, from the bits of an f32 to those of the function, and what it needs.
    const WGSL: &'static [&'static str];
    /// Whether the host sits longer over it than over reading an element.
    const HEAVY: bool = false;
    /// On the host.
    fn of(x: f64) -> f64;
}

/// The fold of such a sum.
#[derive(Clone, Copy, Debug)]
pub struct SumOf<F>(PhantomData<F>);

impl<F> SumOf<F> {
    pub(super) const NEW: Self = SumOf(PhantomData);
}

/// A sum of f64 with what was not finite apart; on the device two f32.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Total {
    sum: f64,
    /// Bit 0: a NaN. Bits 1 and 2: +inf, -inf.
    flags: u32,
}

impl Total {
    const ZERO: Total = Total { sum: 0.0, flags: 0 };

    fn of(x: f64) -> Total {
        match x {
            _ if x.is_nan() => Total { flags: 1, ..Total::ZERO },
            f64::INFINITY => Total { flags: 2, ..Total::ZERO },
            f64::NEG_INFINITY => Total { flags: 4, ..Total::ZERO },
            _ => Total { sum: x, flags: 0 },
        }
    }

    #[inline(always)]
    fn plus(self, other: Total) -> Total {
        Total { sum: self.sum + other.sum, flags: self.flags | other.flags }
    }
}

impl Accumulator for Total {
    const WORDS: usize = 3;
    const WGSL: &'static str = "struct Acc { sum: f32, rest: f32, flags: u32, }";
    const MEMBERS: &'static [Member] = &[
        Member { name: "sum", of: "f32", words: 1 },
        Member { name: "rest", of: "f32", words: 1 },
        Member { name: "flags", of: "u32", words: 1 },
    ];
    fn write(&self, words: &mut [u32]) {
        let sum = self.sum as f32;
        let rest = (self.sum - f64::from(sum)) as f32;
        words.copy_from_slice(&[sum.to_bits(), rest.to_bits(), self.flags]);
    }
    /// The host's range is wider.
    fn fits(&self) -> bool {
        (self.sum as f32).is_finite()
    }
    fn read(words: &[u32]) -> Self {
        let [sum, rest] = [0, 1].map(|w| f64::from(f32::from_bits(words[w])));
        // A sum that left the range on a device has no rest.
        Total { sum: if sum.is_finite() && rest.is_finite() { sum + rest } else { sum }, flags: words[2] }
    }
}

/// The sum of both, and what rounding it left.
const TWO_SUM: &str = "fn two_sum(a: f32, b: f32) -> vec2<f32> {
    let sum = a + b;
    let back = sum - a;
    return vec2<f32>(sum, (a - (sum - back)) + (b - back));
}
";

impl<F: Function> Fold<f32> for SumOf<F> {
    type Acc = Total;

    fn identity(&self) -> Total {
        Total::ZERO
    }
    #[inline(always)]
    fn lift(&self, x: f32, _: u64) -> Total {
        Total::of(F::of(x.into()))
    }
    #[inline(always)]
    fn combine(&self, a: Total, b: Total) -> Total {
        a.plus(b)
    }
    #[inline(always)]
    fn accumulate(&self, elements: &[f32], _: u64) -> Total {
        elements.chunks(4096).fold(Total::ZERO, |all, block| {
            let sum = sum_in_lanes(block, |x| F::of(x.into()));
            let one_by_one = || block.iter().fold(Total::ZERO, |all, &x| all.plus(Total::of(F::of(x.into()))));
            all.plus(if sum.is_finite() { Total { sum, flags: 0 } } else { one_by_one() })
        })
    }
    fn is_heavy(&self) -> bool {
        F::HEAVY
    }
    fn wgsl(&self) -> Wgsl {
        let wgsl = Wgsl::new(
            "return Acc(0.0, 0.0, 0u);",
            "let found = taken_as(bits);
if (found & 0x7f800000u) != 0x7f800000u { return Acc(bitcast<f32>(found), 0.0, 0u); }
return Acc(0.0, 0.0, select(select(2u, 4u, found >> 31u == 1u), 1u, (found & 0x7fffffu) != 0u));",
            "let sum = two_sum(a.sum, b.sum);
return Acc(sum.x, sum.y + a.rest + b.rest, a.flags | b.flags);",
        );
        F::WGSL.iter().fold(wgsl.helpers(TWO_SUM), |wgsl, &text| wgsl.helpers(text)).checked().any_nan()
    }
}

/// Over other types, by f64 on the host.
macro_rules! on_host {
    ($($type:ty),+) => {$(
        impl<F: Function> Fold<$type> for SumOf<F> {
            type Acc = Doubles<1>;
            const HOST_ONLY: Option<&'static str> = Some(NO_F64);

            fn identity(&self) -> Doubles<1> {
                Doubles([0.0])
            }
            #[inline(always)]
            fn lift(&self, x: $type, _: u64) -> Doubles<1> {
                Doubles([F::of(x as f64)])
            }
            #[inline(always)]
            fn combine(&self, a: Doubles<1>, b: Doubles<1>) -> Doubles<1> {
                Doubles([a.0[0] + b.0[0]])
            }
            #[inline(always)]
            fn accumulate(&self, elements: &[$type], _: u64) -> Doubles<1> {
                Doubles([elements.chunks(4096).map(|block| sum_in_lanes(block, |x| F::of(x as f64))).sum()])
            }
            fn wgsl(&self) -> Wgsl {
                no_wgsl()
            }
        }
    )+};
}

on_host!(f64, i32, u32, i64, u64);

/// `logarithm(bits)`: of a float whose bits are neither zero, negative, infinite nor NaN; subnormals too.
pub(super) const LOGARITHM: &str = "fn logarithm(bits: u32) -> f32 {
    let shift = select(0u, countLeadingZeros(bits) - 8u, bits < 0x00800000u);
    let exponent = i32(max(bits >> 23u, 1u)) - 127i - i32(shift);
    let mantissa = bitcast<f32>(((bits << shift) & 0x007fffffu) | 0x3f800000u);
    return f32(exponent) * 0.6931472 + log(mantissa);
}
";

/// A sum as an f64.
pub(super) trait Summed {
    fn value(self) -> f64;
}

impl Summed for Total {
    fn value(self) -> f64 {
        match self.flags {
            0 => self.sum,
            2 => f64::INFINITY,
            4 => f64::NEG_INFINITY,
            _ => f64::NAN,
        }
    }
}

impl Summed for Doubles<1> {
    fn value(self) -> f64 {
        self.0[0]
    }
}

/// The answer of an operator over such a sum: the host's of f64 and whole numbers an f64; of f32 an f32, on the device too, where
/// `$wgsl` finishes the accumulator. `$slack`: how far a device's may be from the host's, of elements and their answer.
macro_rules! answer_of_sum {
    ($name:ident = $text:literal, $about:literal, $function:ty, |$sum:ident, $count:ident| $answer:expr, $wgsl:literal,
     |$elements:ident, $size:ident| $slack:expr) => {
        impl crate::Op<f32> for $name {
            type Fold = crate::ops::sum_of::SumOf<$function>;
            type Output = Option<f32>;
            const NAME: &'static str = $text;
            const ABOUT: &'static str = $about;

            fn fold(&self) -> Self::Fold {
                crate::ops::sum_of::SumOf::NEW
            }
            fn finish(&self, acc: crate::ops::sum_of::Total, $count: u64) -> crate::Result<Option<f32>> {
                let $sum = crate::ops::sum_of::Summed::value(acc);
                let answer: Option<f64> = $answer;
                Ok(answer.map(|answer| answer as f32))
            }
            fn answer(&self) -> Option<crate::DeviceAnswer> {
                Some(crate::DeviceAnswer::checked([($text, crate::op::WordType::F32)], $wgsl))
            }
            fn read(&self, words: &[u32], $count: u64) -> crate::Result<Option<f32>> {
                let $sum = f64::NAN;
                let answer: Option<f64> = $answer;
                Ok(answer.map(|_| f32::from_bits(words[0])))
            }
            fn close(&self, device: &Option<f32>, host: &Option<f32>, $elements: &[f32], _: bool) -> bool {
                crate::ops::doubles::near_answers(device.map(f64::from), host.map(f64::from), |$size| $slack)
            }
        }
        crate::ops::sum_of::answer_of_sum!(@host $name = $text, $about, $function, |$sum, $count| $answer; f64 i32 u32 i64 u64);
    };
    (@host $name:ident = $text:literal, $about:literal, $function:ty, |$sum:ident, $count:ident| $answer:expr; $($type:ty)+) => {$(
        impl crate::Op<$type> for $name {
            type Fold = crate::ops::sum_of::SumOf<$function>;
            type Output = Option<f64>;
            const NAME: &'static str = $text;
            const ABOUT: &'static str = $about;

            fn fold(&self) -> Self::Fold {
                crate::ops::sum_of::SumOf::NEW
            }
            fn finish(&self, acc: crate::ops::doubles::Doubles<1>, $count: u64) -> crate::Result<Option<f64>> {
                let $sum = crate::ops::sum_of::Summed::value(acc);
                Ok($answer)
            }
        }
    )+};
}
pub(super) use answer_of_sum;
