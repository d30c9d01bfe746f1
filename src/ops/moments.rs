//! Skewness and kurtosis: of 32 bits from exact sums of powers, of 64 from central moments, merged pairwise.

use super::doubles::{Doubles, NO_F64, no_wgsl, sum_in_lanes};
use super::exact::{Elements, Terms, exact_fold};
use super::factors::RaisedTo;
use super::variance::IntegerPowers;
use super::{Sum, SumOfSquares};
use crate::exact::Signed;
use crate::{Acc, Fold, Op, Result, Wgsl};

/// The skewness of a population, √n·Σ(x - mean)³ / (Σ(x - mean)²)^1.5: SciPy's `skew` as it is by default.
///
/// - **f32, i32, u32**: as if computed in real numbers and rounded once to f64, from sums of powers that no addition rounds: the same bits on every
///   engine. **On the device**: those sums; the host rounds, so there are no words; of f32 no segments, runs, groups or counts
///   that the device alone knows: [`Error::NotBySegments`](crate::Error::NotBySegments).
/// - **f64, i64, u64**: (n, mean, sums of the second to fourth powers of x - mean) in f64, of blocks in two passes, merged pairwise; the relative error is
///   about 10^-13 where the mean is no more than 1000 deviations from 0, and grows with that; NaN where a fourth power of x - mean leaves the range of
///   f64. On the CPU engine alone, for it adds up in f64.
/// - **Order**: commutative. **Empty**: `None`. **All equal**: NaN. **NaN and infinities**: NaN.
///
/// ```
/// use treefold::{Cpu, ops::Skewness};
/// assert_eq!(Cpu::new().reduce(Skewness, &[1i32, 2, 3])?, Some(0.0));
/// assert_eq!(Cpu::new().reduce(Skewness, &[0.0f32, 0.0, 1.0])?, Some(0.5f64.sqrt()));
/// # Ok::<(), treefold::Error>(())
/// ```
///
/// Source: Pébay, Formulas for robust, one-pass parallel computation of covariances and statistical moments (2008).
#[derive(Clone, Copy, Debug, Default)]
pub struct Skewness;

/// The excess kurtosis of a population, n·Σ(x - mean)⁴ / (Σ(x - mean)²)² - 3, which is 0 of a normal distribution: SciPy's `kurtosis` as it is by
/// default.
///
/// All else is as for [`Skewness`].
///
/// ```
/// use treefold::{Cpu, ops::Kurtosis};
/// assert_eq!(Cpu::new().reduce(Kurtosis, &[-1i32, 1, -1, 1])?, Some(-2.0));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Kurtosis;

/// The fold of [`Skewness`] and [`Kurtosis`].
#[derive(Clone, Copy, Debug, Default)]
pub struct CentralMoments;

/// Count, mean, and the sums of the second, third and fourth powers of what the elements are from it.
type Central = Doubles<5>;

const NONE: Central = Doubles([0.0; 5]);

#[inline(always)]
fn merge(Doubles(a): Central, Doubles(b): Central) -> Central {
    let ([n, mean, a2, a3, a4], [m, other, b2, b3, b4]) = (a, b);
    if n == 0.0 || m == 0.0 {
        return Doubles(if n == 0.0 { b } else { a });
    }
    let (count, delta) = (n + m, other - mean);
    // The elements of either side, as a part of all.
    let (left, right) = (n / count, m / count);
    let square = delta * delta;
    Doubles([
        count,
        mean + delta * right,
        a2 + b2 + square * n * right,
        a3 + b3 + delta * square * n * right * (left - right) + 3.0 * delta * (left * b2 - right * a2),
        a4 + b4
            + square * square * n * right * (left * left - left * right + right * right)
            + 6.0 * square * (left * left * b2 + right * right * a2)
            + 4.0 * delta * (left * b3 - right * a3),
    ])
}

/// Two passes over a block that stays in the cache.
#[inline(always)]
fn block<T: Copy>(block: &[T], number: impl Fn(T) -> f64) -> Central {
    if block.is_empty() {
        return NONE;
    }
    let (count, first) = (block.len() as f64, number(block[0]));
    // From the first element on, so that equal ones are no distance apart.
    let apart = sum_in_lanes(block, |x| number(x) - first) / count;
    let power = |power: fn(f64) -> f64| sum_in_lanes(block, |x| power(number(x) - first - apart));
    Doubles([count, first + apart, power(|d| d * d), power(|d| d * d * d), power(|d| d * d * (d * d))])
}

/// A ratio of moments, if there are any elements.
fn ratio(Doubles([count, _, squares, cubes, fourths]): Central, of: fn(f64, f64, f64, f64) -> f64) -> Option<f64> {
    (count > 0.0).then(|| of(count, squares, cubes, fourths))
}

/// Whether answers are as close as those of the same elements in other parts.
fn near(one: Option<f64>, other: Option<f64>) -> bool {
    match (one, other) {
        (Some(a), Some(b)) => a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-9 * (1.0 + b.abs()),
        (a, b) => a == b,
    }
}

macro_rules! moments {
    ($($type:ty),+) => {$(
        impl Fold<$type> for CentralMoments {
            type Acc = Central;
            const HOST_ONLY: Option<&'static str> = Some(NO_F64);

            fn identity(&self) -> Central {
                NONE
            }
            fn lift(&self, x: $type, _: u64) -> Central {
                block(&[x], |x| x as f64)
            }
            #[inline(always)]
            fn combine(&self, a: Central, b: Central) -> Central {
                merge(a, b)
            }
            #[inline(always)]
            fn accumulate(&self, elements: &[$type], _: u64) -> Central {
                elements.chunks(4096).map(|elements| block(elements, |x| x as f64)).fold(NONE, merge)
            }
            fn wgsl(&self) -> Wgsl {
                no_wgsl()
            }
        }

        impl Op<$type> for Skewness {
            type Fold = CentralMoments;
            type Output = Option<f64>;
            const NAME: &'static str = SKEWNESS.0;
            const ABOUT: &'static str = SKEWNESS.1;

            fn fold(&self) -> CentralMoments {
                CentralMoments
            }
            fn finish(&self, acc: Central, _: u64) -> Result<Option<f64>> {
                Ok(ratio(acc, |n, squares, cubes, _| n.sqrt() * cubes / (squares * squares.sqrt())))
            }
            fn close(&self, one: &Option<f64>, other: &Option<f64>, _: &[$type], _: bool) -> bool {
                near(*one, *other)
            }
        }

        impl Op<$type> for Kurtosis {
            type Fold = CentralMoments;
            type Output = Option<f64>;
            const NAME: &'static str = KURTOSIS.0;
            const ABOUT: &'static str = KURTOSIS.1;

            fn fold(&self) -> CentralMoments {
                CentralMoments
            }
            fn finish(&self, acc: Central, _: u64) -> Result<Option<f64>> {
                Ok(ratio(acc, |n, squares, _, fourths| n * fourths / (squares * squares) - 3.0))
            }
            fn close(&self, one: &Option<f64>, other: &Option<f64>, _: &[$type], _: bool) -> bool {
                near(*one, *other)
            }
        }
    )+};
}

moments!(f64, i64, u64);

/// The sum of the third or fourth powers of elements.
#[derive(Clone, Copy, Debug, Default)]
pub struct PowersOf<const POWER: usize>;

exact_fold!(PowersOf<3> over f32; RaisedTo<3>, tested: true);
exact_fold!(PowersOf<4> over f32; RaisedTo<4>, tested: true);
exact_fold!(PowersOf<3> over i32, u32; RaisedTo<3>, tested: false);
exact_fold!(PowersOf<4> over i32, u32; RaisedTo<4>, tested: false);

/// Σx, Σx² and Σx³ of n elements, in units of the first to the third power of one unit.
struct PowerSums {
    n: u64,
    first: Signed,
    second: Signed,
    third: Signed,
}

impl PowerSums {
    /// n·Σx² - (Σx)², n² times the variance.
    fn spread(&self) -> Signed {
        self.second.apart(self.n, &self.first, &self.first)
    }

    /// n²·Σx³ - 3n·Σx·Σx² + 2(Σx)³ over the root of the third power of the spread.
    fn skewness(&self) -> Option<f64> {
        let PowerSums { first, second, third, .. } = self;
        let n = Signed::whole(self.n);
        let [two, three] = [2, 3].map(Signed::whole);
        let inner = n.times(third).minus(&three.times(first).times(second));
        let cubes = n.times(&inner).plus(&two.times(first).times(first).times(first));
        let spread = self.spread();
        cubes.of_root(&spread, &spread.times(&spread))
    }

    /// n³·Σx⁴ - 4n²·Σx·Σx³ + 6n·(Σx)²·Σx² - 3(Σx)⁴ over the square of the spread, less 3.
    fn kurtosis(&self, fourth: &Signed) -> Option<f64> {
        let PowerSums { first, second, third, .. } = self;
        let n = Signed::whole(self.n);
        let [three, four, six] = [3, 4, 6].map(Signed::whole);
        let inner = n.times(fourth).minus(&four.times(first).times(third));
        let inner = n.times(&inner).plus(&six.times(first).times(first).times(second));
        let squared = first.times(first);
        let fourths = n.times(&inner).minus(&three.times(&squared).times(&squared));
        let square = self.spread().times(&self.spread());
        let more = fourths.minus(&three.times(&square));
        match square.is_zero() {
            true => None,
            false => Some(more.quotient(&square, 0).unwrap_or(0.0)),
        }
    }
}

/// The exact answers over one type, whose first two sums are of the fold `$fold`; the unit of powers, as the exponent of that of elements, and as
/// that of sums of the third and fourth.
macro_rules! exact_moments {
    ($($type:ty, $fold:ty = $value:expr, $unit:expr, $powers_unit:expr, |$acc:ident| $two:expr;)+) => {$(
        impl Op<$type> for Skewness {
            type Fold = ($fold, PowersOf<3>);
            type Output = Option<f64>;
            const NAME: &'static str = SKEWNESS.0;
            const ABOUT: &'static str = SKEWNESS.1;
            const EXACT: bool = true;

            fn fold(&self) -> Self::Fold {
                ($value, PowersOf)
            }
            fn finish(&self, ($acc, third): Acc<$type, Self>, n: u64) -> Result<Option<f64>> {
                let sums = || {
                    let (first, second) = $two?;
                    let third = Signed::of(&third)?.in_units(3 * $unit - $powers_unit);
                    PowerSums { n, first, second, third }.skewness()
                };
                Ok((n > 0).then(|| sums().unwrap_or(f64::NAN)))
            }
        }

        impl Op<$type> for Kurtosis {
            type Fold = ($fold, PowersOf<3>, PowersOf<4>);
            type Output = Option<f64>;
            const NAME: &'static str = KURTOSIS.0;
            const ABOUT: &'static str = KURTOSIS.1;
            const EXACT: bool = true;

            fn fold(&self) -> Self::Fold {
                ($value, PowersOf, PowersOf)
            }
            fn finish(&self, ($acc, third, fourth): Acc<$type, Self>, n: u64) -> Result<Option<f64>> {
                let sums = || {
                    let (first, second) = $two?;
                    let third = Signed::of(&third)?.in_units(3 * $unit - $powers_unit);
                    let fourth = Signed::of(&fourth)?.in_units(4 * $unit - $powers_unit);
                    PowerSums { n, first, second, third }.kurtosis(&fourth)
                };
                Ok((n > 0).then(|| sums().unwrap_or(f64::NAN)))
            }
        }
    )+};
}

const SKEWNESS: (&str, &str) = ("skewness", "Skewness of a population; of 32 bits rounded once");
const KURTOSIS: (&str, &str) = ("kurtosis", "Excess kurtosis of a population; of 32 bits rounded once");

exact_moments! {
    f32, (Sum, SumOfSquares) = (Sum, SumOfSquares), <Elements as Terms<f32>>::UNIT, <RaisedTo<3> as Terms<f32>>::UNIT,
        |both| Some((Signed::of(&both.0)?, Signed::of(&both.1)?));
    i32, IntegerPowers = IntegerPowers, 0, 0, |both| Some(both.signed());
    u32, IntegerPowers = IntegerPowers, 0, 0, |both| Some(both.signed());
}
