//! Variance, standard deviation and standard error of the mean: from exact sums of powers.

use super::exact::{Elements, Terms};
use super::rounding::{DIGIT, QUOTIENT_F64, ROOT, ROUND_F64, TOP};
use super::{Sum, SumOfSquares};
use crate::exact::{BigNat, Float, Signed, Spread};
use crate::op::{Member, WordType, unroll};
use crate::{Acc, Accumulator, DeviceAnswer, Fold, Op, Result, Wgsl};

/// The variance Σ(x - mean)² / (n - ddof) as if computed in real numbers and rounded once to f64.
///
/// Σx and Σx² are integers that no addition rounds, and (n·Σx² - (Σx)²) / (n·(n - ddof)) is formed from them, so nothing cancels.
///
/// - **ddof**: delta degrees of freedom; 0 (the default) divides by n, 1 by n - 1.
/// - **Exact**: the same bits on every adapter, whatever the launch shape, the parts and the version.
/// - **Order**: commutative. **Empty** or n <= ddof: `None`. **NaN and infinities**: NaN.
/// - **On the device**: 2 words (low, high), the same f64; NaN where n <= ddof. Of f64 the host rounds: no words.
///
/// ```
/// use treefold::{Cpu, ops::Variance};
/// let cpu = Cpu::new();
/// assert_eq!(cpu.reduce(Variance::default(), &[1i32, 2, 3, 4])?, Some(1.25));
/// assert_eq!(cpu.reduce(Variance { ddof: 1 }, &[16777216.0f32, 16777218.0, 16777220.0])?, Some(4.0));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Variance {
    /// Delta degrees of freedom: what is subtracted from n in the divisor.
    pub ddof: u32,
}

/// The standard deviation √(Σ(x - mean)² / (n - ddof)) as if computed in real numbers and rounded once to f64: the root of
/// what [`Variance`] rounds, with all else as there.
///
/// ```
/// use treefold::{Cpu, ops::Std};
/// assert_eq!(Cpu::new().reduce(Std::default(), &[1e8f32, 1e8, 1e8 + 8.0, 1e8 + 8.0])?, Some(4.0));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Std {
    /// Delta degrees of freedom: what is subtracted from n in the divisor.
    pub ddof: u32,
}

/// The standard error of the mean √(Σ(x - mean)² / (n·(n - ddof))) as if computed in real numbers and rounded once to f64: that of
/// [`Std`] divided by √n, with all else as for [`Variance`]. Here ddof is 1 by default, as in SciPy and pandas.
///
/// - **On the device**: up to 2^42 elements; NaN of more.
///
/// ```
/// use treefold::{Cpu, ops::Sem};
/// assert_eq!(Cpu::new().reduce(Sem::default(), &[1i32, 3, 5, 7, 9])?, Some(2f64.sqrt()));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Sem {
    /// Delta degrees of freedom: what is subtracted from n in the divisor.
    pub ddof: u32,
}

impl Default for Sem {
    fn default() -> Self {
        Sem { ddof: 1 }
    }
}

/// One of the answers, over one element type.
macro_rules! spread_answer {
    ($name:ident = $text:literal over $type:ty, $fold:ty = $value:expr, $about:literal, $method:ident, $powers:expr, $kernel:ident, |$acc:ident, $count:ident| $spread:expr) => {
        impl Op<$type> for $name {
            type Fold = $fold;
            type Output = Option<f64>;
            const NAME: &'static str = $text;
            const ABOUT: &'static str = $about;
            const EXACT: bool = true;

            fn signature(&self) -> String {
                format!(concat!($text, "(ddof={})"), self.ddof)
            }
            fn fold(&self) -> $fold {
                $value
            }
            fn finish(&self, $acc: Acc<$type, Self>, $count: u64) -> Result<Option<f64>> {
                let ddof = self.ddof.into();
                Ok(($count > ddof).then(|| $spread.map_or(f64::NAN, |spread| spread.$method(ddof))))
            }
            fn answer(&self) -> Option<DeviceAnswer> {
                let powers: Option<PowersText> = $powers;
                powers.map(|powers| powers.answer($kernel, self.ddof))
            }
            fn read(&self, words: &[u32], count: u64) -> Result<Option<f64>> {
                Ok((count > self.ddof.into()).then(|| f64::from_words(words)))
            }
        }
    };
}

/// Σx and Σx² as the device finds them.
struct PowersText {
    /// The sums in WGSL.
    text: &'static str,
    /// Limbs of Σx and of Σx².
    limbs: (u32, u32),
    /// The exponent of the unit of Σx.
    unit: i32,
}

/// The rounding of one of the answers on the device.
struct Finish {
    texts: &'static [&'static str],
    call: &'static str,
    /// Units of the sum that the answer has: 2 of a variance.
    power: i32,
}

const VARIANCE: Finish =
    Finish { texts: &[include_str!("../../shaders/exact/variance.wgsl")], call: "variance_f64", power: 2 };
const ROOT_OF_SPREAD: &str = include_str!("../../shaders/exact/deviation.wgsl");
const DEVIATION: Finish = Finish { texts: &[DIGIT, ROOT, ROOT_OF_SPREAD], call: "deviation_f64", power: 1 };
const MEAN_ERROR: Finish = Finish {
    texts: &[DIGIT, ROOT, ROOT_OF_SPREAD, include_str!("../../shaders/exact/mean_error.wgsl")],
    call: "mean_error_f64",
    power: 1,
};

const SUMS: &str = include_str!("../../shaders/exact/powers_sums.wgsl");
const FLOATS: PowersText = PowersText { text: SUMS, limbs: (11, 20), unit: <Elements as Terms<f32>>::UNIT };
const WIDE_INTEGERS: PowersText = PowersText { text: SUMS, limbs: (4, 6), unit: 0 };
const INTEGERS: PowersText =
    PowersText { text: include_str!("../../shaders/exact/powers_integer.wgsl"), limbs: (2, 3), unit: 0 };

impl PowersText {
    fn answer(&self, how: Finish, ddof: u32) -> DeviceAnswer {
        let finish = format!(
            "let some = (count.y > 0u) | (count.x > param(0u));
if !some | !finite(acc) {{ return array<u32, 2>(0u, 0x7ff80000u); }}
return {}(acc, count, param(0u));",
            how.call
        );
        let last = f64::EXPONENT_MIN - how.power * self.unit;
        let (sum, squares) = self.limbs;
        let counts = [("SUM_LIMBS", sum), ("SQUARES_LIMBS", squares)];
        let answer = DeviceAnswer::checked([("low", WordType::Part), ("high", WordType::Part)], finish)
            .params([ddof])
            .helpers(format!(
                "const EXPONENT_MIN = {last}i;\nconst SUM_LIMBS = {sum}u;\nconst SQUARES_LIMBS = {squares}u;\n"
            ))
            .helpers(TOP)
            .helpers(ROUND_F64)
            .helpers(unroll(self.text, &counts))
            .helpers(unroll(include_str!("../../shaders/exact/spread.wgsl"), &counts))
            .helpers(QUOTIENT_F64)
            .helpers(include_str!("../../shaders/exact/divisor.wgsl"))
            // The words of n·Q, a quotient, two digits of a root.
            .trips(u64::from(squares) + 2 + 24 + 4);
        how.texts.iter().copied().fold(answer, DeviceAnswer::helpers)
    }
}

/// The answers over one element type.
macro_rules! spread_answers {
    ($type:ty, $fold:ty = $value:expr, $powers:expr, |$acc:ident, $count:ident| $spread:expr) => {
        spread_answer!(Variance = "variance" over $type, $fold = $value, "Variance, divided by n - ddof; rounded once", variance, $powers, VARIANCE,
            |$acc, $count| $spread);
        spread_answer!(Std = "std" over $type, $fold = $value, "Standard deviation, divided by n - ddof; rounded once", deviation, $powers, DEVIATION,
            |$acc, $count| $spread);
        spread_answer!(Sem = "sem" over $type, $fold = $value, "Standard error of the mean, ddof 1 unless told; rounded once", mean_error, $powers, MEAN_ERROR,
            |$acc, $count| $spread);
    };
}

spread_answers!(f32, (Sum, SumOfSquares) = (Sum, SumOfSquares), Some(FLOATS), |acc, count| acc.0.spread(&acc.1, <Elements as Terms<f32>>::UNIT, count));
spread_answers!(f64, (Sum, SumOfSquares) = (Sum, SumOfSquares), None, |acc, count| acc.0.spread(&acc.1, <Elements as Terms<f64>>::UNIT, count));
spread_answers!(i64, (Sum, SumOfSquares) = (Sum, SumOfSquares), Some(WIDE_INTEGERS), |acc, count| acc.0.spread(&acc.1, 0, count));
spread_answers!(u64, (Sum, SumOfSquares) = (Sum, SumOfSquares), Some(WIDE_INTEGERS), |acc, count| acc.0.spread(&acc.1, 0, count));
spread_answers!(i32, IntegerPowers = IntegerPowers, Some(INTEGERS), |acc, count| Some(acc.spread(count)));
spread_answers!(u32, IntegerPowers = IntegerPowers, Some(INTEGERS), |acc, count| Some(acc.spread(count)));

/// The fold of [`Variance`].
#[derive(Clone, Copy, Debug, Default)]
pub struct IntegerPowers;

/// Σx and Σx² of integers: 64 and 96 bits on the device, which 2^32 elements cannot overflow, 128 bits on the host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Powers {
    sum: i128,
    squares: i128,
}

impl Powers {
    const ZERO: Powers = Powers { sum: 0, squares: 0 };

    /// Both as signed numbers.
    pub(super) fn signed(&self) -> (Signed, Signed) {
        (Signed::of_i128(self.sum), Signed::of_i128(self.squares))
    }

    /// The spread of the elements about their mean.
    pub(super) fn spread(&self, count: u64) -> Spread {
        Spread::new(&BigNat::of(self.sum.unsigned_abs()), &BigNat::of(self.squares.unsigned_abs()), 0, count)
    }
}

impl Accumulator for Powers {
    const WORDS: usize = 6;
    const WGSL: &'static str = "struct Acc { s0: u32, s1: u32, q0: u32, q1: u32, q2: u32, sign: u32, }";
    const MEMBERS: &'static [Member] = &[Member::word("s0"), Member::word("s1"), Member::word("q0"), Member::word("q1"), Member::word("q2"), Member::word("sign")];
    fn write(&self, words: &mut [u32]) {
        let all = [self.sum, self.sum >> 32, self.squares, self.squares >> 32, self.squares >> 64, self.sum >> 127 & 1];
        for (word, part) in words.iter_mut().zip(all) {
            *word = part as u32;
        }
    }
    fn fits(&self) -> bool {
        (i64::MIN.into()..=u64::MAX.into()).contains(&self.sum) && self.squares >> 96 == 0
    }
    fn read(words: &[u32]) -> Self {
        let wide = |w: usize| i128::from(words[w]);
        let sum = wide(0) | wide(1) << 32;
        let negative = words[5] != 0 && words[1] >> 31 == 1;
        Powers {
            sum: if negative { sum - (1 << 64) } else { sum },
            squares: wide(2) | wide(3) << 32 | wide(4) << 64,
        }
    }
}

macro_rules! integer_powers {
    ($type:ty, $magnitude:literal, $high:literal, $signed:literal) => {
        impl Fold<$type> for IntegerPowers {
            type Acc = Powers;
            const ELEMENTS_MAX: u64 = 1 << 32;

            fn identity(&self) -> Powers {
                Powers::ZERO
            }
            #[inline(always)]
            fn lift(&self, x: $type, _: u64) -> Powers {
                Powers { sum: x.into(), squares: (i64::from(x) as i128) * (i64::from(x) as i128) }
            }
            #[inline(always)]
            fn combine(&self, a: Powers, b: Powers) -> Powers {
                Powers { sum: a.sum + b.sum, squares: a.squares + b.squares }
            }
            #[inline(always)]
            fn accumulate(&self, elements: &[$type], _: u64) -> Powers {
                // Halves of squares, which stay within 64 bits, so that vectors add them.
                let blocks = elements.chunks(1 << 16).map(|block| {
                    let (mut sum, mut low, mut high) = (0i64, 0u64, 0u64);
                    for &x in block {
                        let x = i64::from(x);
                        let square = x.wrapping_mul(x) as u64;
                        sum += x;
                        low += square & 0xffff_ffff;
                        high += square >> 32;
                    }
                    Powers { sum: sum.into(), squares: i128::from(low) + (i128::from(high) << 32) }
                });
                blocks.fold(Powers::ZERO, |a, b| Fold::<$type>::combine(self, a, b))
            }
            fn wgsl(&self) -> Wgsl {
                Wgsl::new(
                    concat!("return Acc(0u, 0u, 0u, 0u, 0u, ", $signed, ");"),
                    concat!(
                        "let magnitude = ", $magnitude, ";\n",
                        "let square = multiply32(magnitude, magnitude);\n",
                        "return Acc(bits, ", $high, ", square.x, square.y, 0u, ", $signed, ");"
                    ),
                    concat!(
                        "let sum = add64(vec2<u32>(a.s0, a.s1), vec2<u32>(b.s0, b.s1));
let low = add64(vec2<u32>(a.q0, a.q1), vec2<u32>(b.q0, b.q1));
let carry = (low.y < a.q1) | ((low.y == a.q1) & (low.x < a.q0));
return Acc(sum.x, sum.y, low.x, low.y, a.q2 + b.q2 + select(0u, 1u, carry), ", $signed, ");"
                    ),
                )
                .checked()
            }
        }
    };
}

integer_powers!(i32, "select(bits, 0u - bits, bits >> 31u == 1u)", "bitcast<u32>(bitcast<i32>(bits) >> 31u)", "1u");
integer_powers!(u32, "bits", "0u", "0u");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_variance_is_exact() {
        let near = |xs: &[i32]| {
            let powers = Fold::<i32>::accumulate(&IntegerPowers, xs, 0);
            Op::<i32>::finish(&Variance::default(), powers, xs.len() as u64)
        };
        assert_eq!(near(&[2_000_000_000, 2_000_000_001]).ok().flatten(), Some(0.25));
        assert_eq!(near(&[-7; 9]).ok().flatten(), Some(0.0));
        assert_eq!(near(&[i32::MIN, i32::MAX]).ok().flatten(), Some((2147483647.5f64).powi(2)));
    }

    #[test]
    fn words_survive() {
        for powers in [Powers { sum: -5, squares: 25 }, Powers { sum: 1 << 40, squares: 1 << 90 }] {
            let mut words = [0; 6];
            powers.write(&mut words);
            words[5] = 1;
            assert_eq!(Powers::read(&words), powers);
        }
    }
}
