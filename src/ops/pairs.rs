//! Relations of the two numbers of pairs: covariance, correlation, weighted mean, cosine.

use super::Dot;
use super::dot::NO_PAIRS;
use super::doubles::{Doubles, NO_F64, no_wgsl, sum_in_lanes};
use super::exact::{Products, Terms, host_sums, naturals, square, whole};
use crate::exact::{PRODUCTS_F64, squares_f32, squares_f64_of, sum_f32, sum_f64_of};
use crate::{Acc, Fold, Op, Result, Wgsl};

/// The covariance Σ(x - mean x)(y - mean y) / (n - ddof) of pairs.
///
/// - **ddof**: delta degrees of freedom; 0 (the default) divides by n. NumPy's `cov` divides by n - 1.
/// - **Rounding**: in f64, of blocks in two passes, merged pairwise; the error is about 10^-15 of √(Var x · Var y).
/// - **Order**: commutative. **Empty** or n <= ddof: `None`. **NaN and infinities**: NaN. **Range**: NaN or infinite where a product of distances
///   leaves that of f64.
/// - On the CPU engine alone, for it adds up in f64.
///
/// ```
/// use treefold::{Cpu, ops::Covariance};
/// let pairs = [[1.0f32, 2.0], [2.0, 4.0], [3.0, 6.0]];
/// assert_eq!(Cpu::new().reduce(Covariance { ddof: 1 }, &pairs)?, Some(2.0));
/// # Ok::<(), treefold::Error>(())
/// ```
///
/// Source: Chan, Golub and LeVeque (1979); Pébay (2008).
#[derive(Clone, Copy, Debug, Default)]
pub struct Covariance {
    /// Delta degrees of freedom: what is subtracted from n in the divisor.
    pub ddof: u32,
}

/// Pearson's correlation of pairs, from -1 to 1: their covariance over the product of their deviations.
///
/// All equal: NaN. All else is as for [`Covariance`].
///
/// ```
/// use treefold::{Cpu, ops::Correlation};
/// let pairs = [[1.0f32, -2.0], [2.0, -4.0], [3.0, -6.0]];
/// assert_eq!(Cpu::new().reduce(Correlation, &pairs)?, Some(-1.0));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Correlation;

/// The mean of the first of each pair, weighted by the second: Σxw / Σw.
///
/// - **Rounding**: both sums are exact and rounded once to 53 digits, the quotient to f64, of f32 to f32: nothing overflows on the way.
/// - **Order**: commutative. **Empty**: `None`. **No weight**, all of them 0 or their sum: NaN, or an infinity. **NaN and infinities**: as IEEE 754 has it.
/// - On the CPU engine alone: no kernel adds up the second of each pair.
///
/// ```
/// use treefold::{Cpu, ops::WeightedMean};
/// assert_eq!(Cpu::new().reduce(WeightedMean, &[[1.0f32, 3.0], [5.0, 1.0]])?, Some(2.0));
/// assert_eq!(Cpu::new().reduce(WeightedMean, &[[1i64, 3], [5, 1]])?, Some(2.0));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct WeightedMean;

/// The cosine of the angle between two vectors, Σxy / √(Σx²·Σy²), from -1 to 1.
///
/// - **Rounding**: the three sums are exact and rounded once to 53 digits, the quotient to f64, of f32 to f32: nothing overflows on the way.
/// - **Order**: commutative. **Empty**: `None`. **Zero**: NaN where either vector is. **NaN and infinities**: NaN.
/// - On the CPU engine alone: no kernel adds up the squares of one of a pair.
///
/// ```
/// use treefold::{Cpu, ops::Cosine};
/// assert_eq!(Cpu::new().reduce(Cosine, &[[3e30f32, 4e-30], [4e30, 3e-30]])?, Some(0.96));
/// assert_eq!(Cpu::new().reduce(Cosine, &[[3e300f64, 4e-300], [4e300, 3e-300]])?, Some(0.96));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Cosine;

/// The fold of [`Covariance`] and [`Correlation`].
#[derive(Clone, Copy, Debug, Default)]
pub struct CrossMoments;

/// Count, both means, Σ(x - mean)², Σ(y - mean)² and Σ(x - mean)(y - mean).
type Cross = Doubles<6>;

const NONE: Cross = Doubles([0.0; 6]);

fn merge(Doubles(a): Cross, Doubles(b): Cross) -> Cross {
    let ([n, x, y, xx, yy, xy], [m, other_x, other_y, xx_2, yy_2, xy_2]) = (a, b);
    if n == 0.0 || m == 0.0 {
        return Doubles(if n == 0.0 { b } else { a });
    }
    let share = m / (n + m);
    let (dx, dy, weight) = (other_x - x, other_y - y, n * share);
    Doubles([
        n + m,
        x + dx * share,
        y + dy * share,
        xx + xx_2 + dx * dx * weight,
        yy + yy_2 + dy * dy * weight,
        xy + xy_2 + dx * dy * weight,
    ])
}

/// Two passes over a block that stays in the cache.
#[inline(always)]
fn block<N: Copy>(block: &[[N; 2]], number: impl Fn(N) -> f64) -> Cross {
    if block.is_empty() {
        return NONE;
    }
    let count = block.len() as f64;
    // From the first pair on, so that equal numbers are no distance apart.
    let first = block[0].map(&number);
    let [x, y] = [0, 1].map(|of| sum_in_lanes(block, |pair| number(pair[of]) - first[of]) / count);
    let product = |of: fn(f64, f64) -> f64| {
        sum_in_lanes(block, |pair| of(number(pair[0]) - first[0] - x, number(pair[1]) - first[1] - y))
    };
    Doubles([count, first[0] + x, first[1] + y, product(|dx, _| dx * dx), product(|_, dy| dy * dy), product(|dx, dy| dx * dy)])
}

macro_rules! cross_moments {
    ($($type:ty),+) => {$(
        impl Fold<[$type; 2]> for CrossMoments {
            type Acc = Cross;
            const HOST_ONLY: Option<&'static str> = Some(NO_F64);

            fn identity(&self) -> Cross {
                NONE
            }
            fn lift(&self, pair: [$type; 2], _: u64) -> Cross {
                block(&[pair], |x| x as f64)
            }
            fn combine(&self, a: Cross, b: Cross) -> Cross {
                merge(a, b)
            }
            fn accumulate(&self, elements: &[[$type; 2]], _: u64) -> Cross {
                elements.chunks(2048).map(|elements| block(elements, |x| x as f64)).fold(NONE, merge)
            }
            fn wgsl(&self) -> Wgsl {
                no_wgsl()
            }
        }

        impl Op<[$type; 2]> for Covariance {
            type Fold = CrossMoments;
            type Output = Option<f64>;
            const NAME: &'static str = "covariance";
            const ABOUT: &'static str = "Covariance of two inputs, divided by n - ddof";

            fn signature(&self) -> String {
                format!("covariance(ddof={})", self.ddof)
            }
            fn fold(&self) -> CrossMoments {
                CrossMoments
            }
            fn finish(&self, Doubles(acc): Cross, _: u64) -> Result<Option<f64>> {
                let divisor = acc[0] - f64::from(self.ddof);
                Ok((divisor > 0.0).then(|| acc[5] / divisor))
            }
        }

        impl Op<[$type; 2]> for Correlation {
            type Fold = CrossMoments;
            type Output = Option<f64>;
            const NAME: &'static str = "correlation";
            const ABOUT: &'static str = "Pearson's correlation of two inputs";

            fn fold(&self) -> CrossMoments {
                CrossMoments
            }
            fn finish(&self, acc: Cross, _: u64) -> Result<Option<f64>> {
                Ok(correlation(acc))
            }
        }
    )+};
}

/// The correlation, if there are any pairs.
fn correlation(Doubles([count, .., xx, yy, xy]): Cross) -> Option<f64> {
    // Squares of f32 leave f64 room for their product.
    let product = (xx * yy).sqrt();
    let size = if product.is_normal() { product } else { xx.sqrt() * yy.sqrt() };
    // Clamp keeps NaN.
    (count > 0.0).then(|| (xy / size).clamp(-1.0, 1.0))
}

cross_moments!(f32, f64, i64, u64);

/// Σy.
#[derive(Clone, Copy, Debug, Default)]
pub struct SumOfSeconds;

/// Σx².
#[derive(Clone, Copy, Debug, Default)]
pub struct SquaresOfFirsts;

/// Σy².
#[derive(Clone, Copy, Debug, Default)]
pub struct SquaresOfSeconds;

const NO_ONE_OF_PAIRS: &str = "no kernel adds up one number of each pair";

host_sums!(SumOfSeconds over [f32; 2], 11 limbs, NO_ONE_OF_PAIRS; |pairs| sum_f32(pairs, |[_, y]: [f32; 2]| y));
host_sums!(SquaresOfFirsts over [f32; 2], 20 limbs, NO_ONE_OF_PAIRS; |pairs| squares_f32(pairs, |[x, _]: [f32; 2]| x));
host_sums!(SquaresOfSeconds over [f32; 2], 20 limbs, NO_ONE_OF_PAIRS; |pairs| squares_f32(pairs, |[_, y]: [f32; 2]| y));
host_sums!(SumOfSeconds over [f64; 2], 68 limbs, NO_PAIRS; |pairs| sum_f64_of(pairs, |[_, y]: [f64; 2]| y));
host_sums!(SquaresOfFirsts over [f64; 2], 134 limbs, NO_PAIRS; |pairs| squares_f64_of(pairs, |[x, _]: [f64; 2]| x));
host_sums!(SquaresOfSeconds over [f64; 2], 134 limbs, NO_PAIRS; |pairs| squares_f64_of(pairs, |[_, y]: [f64; 2]| y));

macro_rules! integers {
    ($($type:ty),+) => {$(
        host_sums!(SumOfSeconds over [$type; 2], 4 limbs, NO_PAIRS; |pairs| whole(pairs.iter().map(|&[_, y]| i128::from(y))));
        host_sums!(SquaresOfFirsts over [$type; 2], 6 limbs, NO_PAIRS; |pairs| {
            naturals(pairs.iter().map(|&[x, _]| square(i128::from(x).unsigned_abs() as u64)))
        });
        host_sums!(SquaresOfSeconds over [$type; 2], 6 limbs, NO_PAIRS; |pairs| {
            naturals(pairs.iter().map(|&[_, y]| square(i128::from(y).unsigned_abs() as u64)))
        });
    )+};
}

integers!(i64, u64);

/// x·2^exponent.
fn scaled(mut x: f64, mut exponent: i32) -> f64 {
    const STEP: i32 = 1000;
    while exponent != 0 && x != 0.0 && x.is_finite() {
        let step = exponent.clamp(-STEP, STEP);
        x *= 2f64.powi(step);
        exponent -= step;
    }
    x
}

/// The answers over pairs whose products are in units of 2^`$products`.
macro_rules! exact_quotients {
    ($($type:ty: $products:expr => $float:ty;)+) => {$(
        impl Op<$type> for WeightedMean {
            type Fold = (Dot, SumOfSeconds);
            type Output = Option<$float>;
            const NAME: &'static str = "weighted_mean";
            const ABOUT: &'static str = "Mean of the first input weighted by the second";

            fn fold(&self) -> Self::Fold {
                (Dot, SumOfSeconds)
            }
            fn finish(&self, (products, weights): Acc<$type, Self>, count: u64) -> Result<Option<$float>> {
                let (products, up) = products.scaled($products, count);
                let (weights, down) = weights.scaled($products / 2, count);
                Ok((count > 0).then(|| scaled(products / weights, up - down) as $float))
            }
        }

        impl Op<$type> for Cosine {
            type Fold = (Dot, SquaresOfFirsts, SquaresOfSeconds);
            type Output = Option<$float>;
            const NAME: &'static str = "cosine";
            const ABOUT: &'static str = "Cosine of the angle between two inputs";

            fn fold(&self) -> Self::Fold {
                (Dot, SquaresOfFirsts, SquaresOfSeconds)
            }
            fn finish(&self, (products, firsts, seconds): Acc<$type, Self>, count: u64) -> Result<Option<$float>> {
                let (products, up) = products.scaled($products, count);
                let ((first, one), (second, other)) = (firsts.scaled($products, count), seconds.scaled($products, count));
                let (sizes, down) = (first * second, one + other);
                // Of a square with an even exponent.
                let root = (sizes * f64::from(1 + (down & 1))).sqrt();
                Ok((count > 0).then(|| scaled(products / root, up - (down >> 1)).clamp(-1.0, 1.0) as $float))
            }
        }
    )+};
}

exact_quotients! {
    [f32; 2]: <Products as Terms<[f32; 2]>>::UNIT => f32;
    [f64; 2]: PRODUCTS_F64 => f64;
    [i64; 2]: 0 => f64;
    [u64; 2]: 0 => f64;
}
