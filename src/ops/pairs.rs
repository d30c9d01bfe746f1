//! Relations of the two numbers of pairs: covariance, correlation, weighted mean, cosine.

use super::Dot;
use super::doubles::{Doubles, NO_F64, no_wgsl, sum_in_lanes};
use super::exact::{Products, Terms};
use crate::exact::{LongAccumulator, squares_f32, sum_f32};
use crate::{Fold, Op, Result, Wgsl};

/// The covariance Σ(x - mean x)(y - mean y) / (n - ddof) of pairs.
///
/// - **ddof**: delta degrees of freedom; 0 (the default) divides by n. NumPy's `cov` divides by n - 1.
/// - **Rounding**: in f64, of blocks in two passes, merged pairwise; the error is about 10^-15 of √(Var x · Var y).
/// - **Order**: commutative. **Empty** or n <= ddof: `None`. **NaN and infinities**: NaN.
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
/// - **Rounding**: both sums are exact and rounded once to f64, the quotient to f32.
/// - **Order**: commutative. **Empty**: `None`. **No weight**, all of them 0 or their sum: NaN, or an infinity. **NaN and infinities**: as IEEE 754 has it.
/// - On the CPU engine alone: no kernel adds up the second of each pair.
///
/// ```
/// use treefold::{Cpu, ops::WeightedMean};
/// assert_eq!(Cpu::new().reduce(WeightedMean, &[[1.0f32, 3.0], [5.0, 1.0]])?, Some(2.0));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct WeightedMean;

/// The cosine of the angle between two vectors, Σxy / √(Σx²·Σy²), from -1 to 1.
///
/// - **Rounding**: the three sums are exact and rounded once to f64, the quotient to f32: nothing overflows on the way.
/// - **Order**: commutative. **Empty**: `None`. **Zero**: NaN where either vector is. **NaN and infinities**: NaN.
/// - On the CPU engine alone: no kernel adds up the squares of one of a pair.
///
/// ```
/// use treefold::{Cpu, ops::Cosine};
/// assert_eq!(Cpu::new().reduce(Cosine, &[[3e30f32, 4e-30], [4e30, 3e-30]])?, Some(0.96));
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
fn block(block: &[[f32; 2]]) -> Cross {
    if block.is_empty() {
        return NONE;
    }
    let count = block.len() as f64;
    // From the first pair on, so that equal numbers are no distance apart.
    let first = block[0].map(f64::from);
    let [x, y] = [0, 1].map(|of| sum_in_lanes(block, |pair| f64::from(pair[of]) - first[of]) / count);
    let product = |of: fn(f64, f64) -> f64| {
        sum_in_lanes(block, |pair| of(f64::from(pair[0]) - first[0] - x, f64::from(pair[1]) - first[1] - y))
    };
    Doubles([count, first[0] + x, first[1] + y, product(|dx, _| dx * dx), product(|_, dy| dy * dy), product(|dx, dy| dx * dy)])
}

impl Fold<[f32; 2]> for CrossMoments {
    type Acc = Cross;
    const HOST_ONLY: Option<&'static str> = Some(NO_F64);

    fn identity(&self) -> Cross {
        NONE
    }
    fn lift(&self, pair: [f32; 2], _: u64) -> Cross {
        block(&[pair])
    }
    fn combine(&self, a: Cross, b: Cross) -> Cross {
        merge(a, b)
    }
    fn accumulate(&self, elements: &[[f32; 2]], _: u64) -> Cross {
        elements.chunks(2048).map(block).fold(NONE, merge)
    }
    fn wgsl(&self) -> Wgsl {
        no_wgsl()
    }
}

impl Op<[f32; 2]> for Covariance {
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

impl Op<[f32; 2]> for Correlation {
    type Fold = CrossMoments;
    type Output = Option<f64>;
    const NAME: &'static str = "correlation";
    const ABOUT: &'static str = "Pearson's correlation of two inputs";

    fn fold(&self) -> CrossMoments {
        CrossMoments
    }
    fn finish(&self, Doubles(acc): Cross, _: u64) -> Result<Option<f64>> {
        let [count, .., xx, yy, xy] = acc;
        // Squares of f32 leave f64 room for their product; clamp keeps NaN.
        Ok((count > 0.0).then(|| (xy / (xx * yy).sqrt()).clamp(-1.0, 1.0)))
    }
}

/// Exact sums over one of a pair.
macro_rules! one_of_pairs {
    ($($(#[$doc:meta])* $name:ident of $limbs:literal limbs, |$pairs:ident| $sum:expr;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name;

        impl Fold<[f32; 2]> for $name {
            type Acc = LongAccumulator<$limbs>;
            const HOST_ONLY: Option<&'static str> = Some("no kernel adds up one number of each pair");

            fn identity(&self) -> Self::Acc {
                LongAccumulator::ZERO
            }
            fn lift(&self, pair: [f32; 2], _: u64) -> Self::Acc {
                Fold::accumulate(self, &[pair], 0)
            }
            fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc {
                a.plus(b)
            }
            #[inline(always)]
            fn accumulate(&self, $pairs: &[[f32; 2]], _: u64) -> Self::Acc {
                $sum
            }
            fn canonical(&self, acc: Self::Acc) -> Self::Acc {
                acc.canonical()
            }
            fn wgsl(&self) -> Wgsl {
                no_wgsl()
            }
        }
    )+};
}

one_of_pairs! {
    /// Σy.
    SumOfSeconds of 11 limbs, |pairs| sum_f32(pairs, |[_, y]: [f32; 2]| y);
    /// Σx².
    SquaresOfFirsts of 20 limbs, |pairs| squares_f32(pairs, |[x, _]: [f32; 2]| x);
    /// Σy².
    SquaresOfSeconds of 20 limbs, |pairs| squares_f32(pairs, |[_, y]: [f32; 2]| y);
}

const PRODUCTS: i32 = <Products as Terms<[f32; 2]>>::UNIT;

impl Op<[f32; 2]> for WeightedMean {
    type Fold = (Dot, SumOfSeconds);
    type Output = Option<f32>;
    const NAME: &'static str = "weighted_mean";
    const ABOUT: &'static str = "Mean of the first input weighted by the second";

    fn fold(&self) -> Self::Fold {
        (Dot, SumOfSeconds)
    }
    fn finish(&self, acc: (LongAccumulator<20>, LongAccumulator<11>), count: u64) -> Result<Option<f32>> {
        let products: f64 = acc.0.quotient(PRODUCTS, 1, count);
        let weights: f64 = acc.1.quotient(PRODUCTS / 2, 1, count);
        Ok((count > 0).then(|| (products / weights) as f32))
    }
}

impl Op<[f32; 2]> for Cosine {
    type Fold = (Dot, SquaresOfFirsts, SquaresOfSeconds);
    type Output = Option<f32>;
    const NAME: &'static str = "cosine";
    const ABOUT: &'static str = "Cosine of the angle between two inputs";

    fn fold(&self) -> Self::Fold {
        (Dot, SquaresOfFirsts, SquaresOfSeconds)
    }
    fn finish(&self, acc: crate::Acc<[f32; 2], Self>, count: u64) -> Result<Option<f32>> {
        let [products, first, second]: [f64; 3] = [acc.0, acc.1, acc.2].map(|sum| sum.quotient(PRODUCTS, 1, count));
        Ok((count > 0).then(|| (products / (first * second).sqrt()).clamp(-1.0, 1.0) as f32))
    }
}
