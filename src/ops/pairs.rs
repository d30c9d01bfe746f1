//! Relations of the two numbers of pairs: covariance, correlation, weighted mean, cosine.

use super::Dot;
use super::dot::NO_PAIRS;
use super::doubles::{Doubles, NO_F64, as_normal, no_wgsl, scaled, sum_in_lanes};
use super::exact::{Products, Terms, host_sums, naturals, square, whole};
use crate::exact::{PRODUCTS_F64, squares_f32, squares_f64_of, sum_f32, sum_f64_of};
use crate::{Acc, Fold, Op, Result, Wgsl};

/// The covariance Σ(x - mean x)(y - mean y) / (n - ddof) of pairs.
///
/// - **ddof**: delta degrees of freedom; 0 (the default) divides by n. NumPy's `cov` divides by n - 1.
/// - **Rounding**: in f64, of blocks in two passes, merged pairwise; the error is about 10^-15 of √(Var x · Var y).
/// - **Order**: commutative. **Empty** or n <= ddof: `None`. **NaN and infinities**: NaN. **Range**: NaN where two numbers are further apart
///   than f64 tells; fewer digits of numbers that all are subnormal.
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

/// What the pairs of a part are to each other; of f64, which an accumulator's words hold.
///
/// Both means are two f64 each, what the first lacks in the second: a mean of one f64 is off by more than narrow numbers far from 0 lie
/// apart, and merging would take that for a distance.
#[derive(Clone, Copy, Debug)]
struct Cross {
    count: f64,
    means: [[f64; 2]; 2],
    /// The sums' units are of distances divided by these powers of two, so that no square leaves the range.
    exponents: [i64; 2],
    /// Σ(x - mean)², Σ(y - mean)² and Σ(x - mean)(y - mean).
    squares: [f64; 2],
    products: f64,
}

const NONE: Cross =
    Cross { count: 0.0, means: [[0.0; 2]; 2], exponents: [0; 2], squares: [0.0; 2], products: 0.0 };

/// Sums of squares that need no units of their own.
const ORDINARY: std::ops::RangeInclusive<f64> = 1e-200..=1e200;

impl Cross {
    fn of(Doubles(words): Doubles<10>) -> Cross {
        let [count, x, x_rest, y, y_rest, up_x, up_y, xx, yy, products] = words;
        let means = [[x, x_rest], [y, y_rest]];
        Cross { count, means, exponents: [up_x as i64, up_y as i64], squares: [xx, yy], products }
    }

    fn words(self) -> Doubles<10> {
        let Cross { count, means: [[x, x_rest], [y, y_rest]], exponents: [up_x, up_y], squares: [xx, yy], products } =
            self;
        Doubles([count, x, x_rest, y, y_rest, up_x as f64, up_y as f64, xx, yy, products])
    }

    /// The same in other units.
    fn in_units(self, exponents: [i64; 2]) -> Cross {
        if self.exponents == exponents {
            return self;
        }
        let [x, y] = [0, 1].map(|of| self.exponents[of] - exponents[of]);
        let squares = [scaled(self.squares[0], 2 * x), scaled(self.squares[1], 2 * y)];
        Cross { exponents, squares, products: scaled(self.products, x + y), ..self }
    }

    fn merge(self, other: Cross) -> Cross {
        if self.count == 0.0 || other.count == 0.0 {
            return if self.count == 0.0 { other } else { self };
        }
        let count = self.count + other.count;
        let share = other.count / count;
        let apart = [0, 1].map(|of| {
            let ([mean, rest], [mean_2, rest_2]) = (self.means[of], other.means[of]);
            (mean_2 - mean) + (rest_2 - rest)
        });
        let exponents = [0, 1].map(|of| {
            let own = [self, other].into_iter().filter(|all| all.squares[of] != 0.0).map(|all| all.exponents[of]);
            own.chain(unit(apart[of] * apart[of], || apart[of].abs())).max().unwrap_or(0)
        });
        let (a, b) = (self.in_units(exponents), other.in_units(exponents));
        let [dx, dy] = [0, 1].map(|of| scaled(apart[of], -exponents[of]));
        let weight = self.count * share;
        Cross {
            count,
            means: [0, 1].map(|of| plus(self.means[of], apart[of] * share)),
            exponents,
            squares: [a.squares[0] + b.squares[0] + dx * dx * weight, a.squares[1] + b.squares[1] + dy * dy * weight],
            products: a.products + b.products + dx * dy * weight,
        }
    }

    fn covariance(self, ddof: u32) -> Option<f64> {
        let divisor = self.count - f64::from(ddof);
        let up = self.exponents[0] + self.exponents[1];
        (divisor > 0.0).then(|| scaled(self.products / divisor, up))
    }

    fn correlation(self) -> Option<f64> {
        let [xx, yy] = self.squares;
        let product = (xx * yy).sqrt();
        let size = if product.is_normal() { product } else { xx.sqrt() * yy.sqrt() };
        // Clamp keeps NaN.
        (self.count > 0.0).then(|| (self.products / size).clamp(-1.0, 1.0))
    }
}

/// The power of two by which distances are divided, where their squares come to that: that of the largest, where the squares leave the range;
/// `None` where nothing is apart, or further than f64 tells.
fn unit(squares: f64, largest: impl FnOnce() -> f64) -> Option<i64> {
    if ORDINARY.contains(&squares) {
        return Some(0);
    }
    Some(largest()).filter(|size| size.is_finite() && *size > 0.0).map(|size| as_normal(size).1)
}

/// A number of two f64 and one of one, exactly but for what two do not hold.
fn plus([high, low]: [f64; 2], x: f64) -> [f64; 2] {
    let sum = high + x;
    let rest = (high - (sum - (sum - high))) + (x - (sum - high)) + low;
    let all = sum + rest;
    [all, if all.is_finite() { rest - (all - sum) } else { 0.0 }]
}

/// Two passes over a block that stays in the cache; `apart`: by how much the first of two numbers is more than the second; `exactly`: a number
/// as two f64.
#[inline(always)]
fn block<N: Copy>(block: &[[N; 2]], apart: impl Fn(N, N) -> f64, exactly: impl Fn(N) -> [f64; 2]) -> Cross {
    let Some(&first) = block.first() else { return NONE };
    // From the first pair on, so that equal numbers are no distance apart.
    let related = |up: [i64; 2], Related { means: [x, y], squares, products }: Related| {
        let means = [plus(exactly(first[0]), scaled(x, up[0])), plus(exactly(first[1]), scaled(y, up[1]))];
        Cross { count: block.len() as f64, means, exponents: up, squares, products }
    };
    let found = related([0; 2], Related::of(block, |of, pair| apart(pair[of], first[of])));
    let up = [0, 1].map(|of| {
        let sizes = || block.iter().map(|pair| apart(pair[of], first[of]).abs()).filter(|size| size.is_finite());
        unit(found.squares[of], || sizes().fold(0.0, f64::max)).unwrap_or(0)
    });
    match up {
        [0, 0] => found,
        up => related(up, Related::of(block, |of, pair| scaled(apart(pair[of], first[of]), -up[of]))),
    }
}

/// The distances of a block's numbers from its first: their means, and the sums of their products from there.
struct Related {
    means: [f64; 2],
    squares: [f64; 2],
    products: f64,
}

impl Related {
    #[inline(always)]
    fn of<N: Copy>(block: &[[N; 2]], distance: impl Fn(usize, [N; 2]) -> f64) -> Related {
        let means = [0, 1].map(|of| sum_in_lanes(block, |pair| distance(of, pair)) / block.len() as f64);
        let product = |product: fn(f64, f64) -> f64| {
            sum_in_lanes(block, |pair| product(distance(0, pair) - means[0], distance(1, pair) - means[1]))
        };
        let squares = [product(|dx, _| dx * dx), product(|_, dy| dy * dy)];
        Related { means, squares, products: product(|dx, dy| dx * dy) }
    }
}

macro_rules! cross_moments {
    ($($type:ty, |$x:ident, $first:ident| $apart:expr, |$one:ident| $exactly:expr;)+) => {$(
        impl Fold<[$type; 2]> for CrossMoments {
            type Acc = Doubles<10>;
            const HOST_ONLY: Option<&'static str> = Some(NO_F64);

            fn identity(&self) -> Doubles<10> {
                NONE.words()
            }
            fn lift(&self, pair: [$type; 2], _: u64) -> Doubles<10> {
                Fold::accumulate(self, &[pair], 0)
            }
            fn combine(&self, a: Doubles<10>, b: Doubles<10>) -> Doubles<10> {
                Cross::of(a).merge(Cross::of(b)).words()
            }
            fn accumulate(&self, elements: &[[$type; 2]], _: u64) -> Doubles<10> {
                let block = |elements| block(elements, |$x: $type, $first: $type| $apart, |$one: $type| $exactly);
                elements.chunks(2048).map(block).fold(NONE, Cross::merge).words()
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
            fn finish(&self, acc: Doubles<10>, _: u64) -> Result<Option<f64>> {
                Ok(Cross::of(acc).covariance(self.ddof))
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
            fn finish(&self, acc: Doubles<10>, _: u64) -> Result<Option<f64>> {
                Ok(Cross::of(acc).correlation())
            }
        }
    )+};
}

/// By how much a whole number is more than another.
macro_rules! integers_apart {
    ($x:ident, $first:ident) => {{
        let size = $x.abs_diff($first) as f64;
        if $x < $first { -size } else { size }
    }};
}

/// A whole number of 64 bits as two f64.
fn as_two(x: i128) -> [f64; 2] {
    let high = x as f64;
    [high, (x - high as i128) as f64]
}

cross_moments! {
    f32, |x, first| f64::from(x) - f64::from(first), |x| [x.into(), 0.0];
    f64, |x, first| x - first, |x| [x, 0.0];
    i64, |x, first| integers_apart!(x, first), |x| as_two(x.into());
    u64, |x, first| integers_apart!(x, first), |x| as_two(x.into());
}

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
                Ok((count > 0).then(|| scaled(products / weights, (up - down).into()) as $float))
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
                Ok((count > 0).then(|| scaled(products / root, (up - (down >> 1)).into()).clamp(-1.0, 1.0) as $float))
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
