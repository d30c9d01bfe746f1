//! Relations of the two numbers of pairs: covariance, correlation, weighted mean, cosine; from exact sums.

use super::exact::{Elements, Terms, exact_fold};
use super::factors::ProductsOf;
use super::{Dot, Sum};
use crate::exact::Signed;
use crate::op::{ComponentsFold, NumberFold, number_of_each};
use crate::{Acc, Op, Result};

/// The covariance Σ(x - mean x)(y - mean y) / (n - ddof) of pairs as if computed in real numbers and rounded once to f64.
///
/// Σxy, Σx and Σy are integers that no addition rounds, and (n·Σxy - Σx·Σy) / (n·(n - ddof)) is formed from them, so nothing cancels.
///
/// - **ddof**: delta degrees of freedom; 0 (the default) divides by n. NumPy's `cov` divides by n - 1.
/// - **Exact**: the same bits on every engine, whatever the order, the launch shape and the parts.
/// - **Order**: commutative. **Empty** or n <= ddof: `None`. **NaN and infinities**: NaN.
/// - **On the device**: the sums; the host rounds, so there are no words. Covariances, correlations and cosines of f64 have no segments, runs,
///   groups or counts that the device alone knows there: [`Error::NotBySegments`](crate::Error::NotBySegments).
///
/// ```
/// use treefold::{Cpu, ops::Covariance};
/// let pairs = [[1.0f32, 2.0], [2.0, 4.0], [3.0, 6.0]];
/// assert_eq!(Cpu::new().reduce(Covariance { ddof: 1 }, &pairs)?, Some(2.0));
/// let far = [[1e16f64, 1e16], [1e16 + 2.0, 1e16 + 4.0]];
/// assert_eq!(Cpu::new().reduce(Covariance::default(), &far)?, Some(2.0));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Covariance {
    /// Delta degrees of freedom: what is subtracted from n in the divisor.
    pub ddof: u32,
}

/// Pearson's correlation of pairs, from -1 to 1: their covariance over the product of their deviations, rounded once to f64.
///
/// All equal in one input: NaN. All else is as for [`Covariance`].
///
/// ```
/// use treefold::{Cpu, ops::Correlation};
/// let pairs = [[1.0f32, -2.0], [2.0, -4.0], [3.0, -6.0]];
/// assert_eq!(Cpu::new().reduce(Correlation, &pairs)?, Some(-1.0));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Correlation;

/// The mean of the first of each pair, weighted by the second: Σxw / Σw as if computed in real numbers and rounded once, of f32 to f32, of
/// others to f64.
///
/// - **Exact**, **Order**: as for [`Covariance`]. **Empty**: `None`. **No weight**, all of them 0 or their sum: NaN, or an infinity.
///   **NaN and infinities**: as IEEE 754 has it for the quotient of both sums.
/// - **On the device**: the sums; the host rounds, so there are no words.
///
/// ```
/// use treefold::{Cpu, ops::WeightedMean};
/// assert_eq!(Cpu::new().reduce(WeightedMean, &[[1.0f32, 3.0], [5.0, 1.0]])?, Some(2.0));
/// assert_eq!(Cpu::new().reduce(WeightedMean, &[[1i64, 3], [5, 1]])?, Some(2.0));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct WeightedMean;

/// The cosine of the angle between two vectors, Σxy / √(Σx²·Σy²), from -1 to 1, as if computed in real numbers and rounded once, of f32 to f32,
/// of others to f64.
///
/// - **Exact**, **Order**: as for [`Covariance`]. **Empty**: `None`. **Zero**: NaN where either vector is. **NaN and infinities**: NaN.
/// - **On the device**: the sums; the host rounds, so there are no words.
///
/// ```
/// use treefold::{Cpu, ops::Cosine};
/// assert_eq!(Cpu::new().reduce(Cosine, &[[3e30f32, 4e-30], [4e30, 3e-30]])?, Some(0.96));
/// assert_eq!(Cpu::new().reduce(Cosine, &[[3e300f64, 4e-300], [4e300, 3e-300]])?, Some(0.96));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Cosine;

/// The sums of both numbers of pairs.
type Sums = ComponentsFold<Sum, 2>;

fn sums() -> Sums {
    ComponentsFold::of(Sum)
}

/// The sum of the squares of one number of each pair: as of products, which pairs of f64 have in levels, while numbers of pairs come one by one
/// (an H200, `treefold bench cosine --dtype f64x2 --size 2^26 --what answer`: 5233 µs so).
#[derive(Clone, Copy, Debug, Default)]
pub struct SquaresOf<const AT: usize>;

exact_fold!(SquaresOf<0> over [f32; 2], [f64; 2]; ProductsOf<0, 0>, tested: true);
exact_fold!(SquaresOf<1> over [f32; 2], [f64; 2]; ProductsOf<1, 1>, tested: true);
exact_fold!(SquaresOf<0> over [i64; 2], [u64; 2]; ProductsOf<0, 0>, tested: false);
exact_fold!(SquaresOf<1> over [i64; 2], [u64; 2]; ProductsOf<1, 1>, tested: false);

/// Those of both.
type SumsOfSquares = (SquaresOf<0>, SquaresOf<1>);

/// The exact answers over one type of pairs; the quotients are of type `$float`.
macro_rules! exact_relations {
    ($($number:ty => $float:ty),+) => {$(
        impl Op<[$number; 2]> for Covariance {
            type Fold = (Dot, Sums);
            type Output = Option<f64>;
            const NAME: &'static str = "covariance";
            const ABOUT: &'static str = "Covariance of two inputs, divided by n - ddof; rounded once";
            const EXACT: bool = true;

            fn signature(&self) -> String {
                format!("covariance(ddof={})", self.ddof)
            }
            fn fold(&self) -> Self::Fold {
                (Dot, sums())
            }
            fn finish(&self, (products, [x, y]): Acc<[$number; 2], Self>, count: u64) -> Result<Option<f64>> {
                const UNIT: i32 = <Elements as Terms<$number>>::UNIT;
                let ddof = self.ddof.into();
                let covariance = || {
                    let apart = Signed::of(&products)?.apart(count, &Signed::of(&x)?, &Signed::of(&y)?);
                    Some(apart.covariance(UNIT, count, ddof))
                };
                Ok((count > ddof).then(|| covariance().unwrap_or(f64::NAN)))
            }
        }

        impl Op<[$number; 2]> for Correlation {
            type Fold = (Dot, Sums, SumsOfSquares);
            type Output = Option<f64>;
            const NAME: &'static str = "correlation";
            const ABOUT: &'static str = "Pearson's correlation of two inputs, rounded once";
            const EXACT: bool = true;

            fn fold(&self) -> Self::Fold {
                (Dot, sums(), SumsOfSquares::default())
            }
            fn finish(&self, (products, [x, y], (xx, yy)): Acc<[$number; 2], Self>, count: u64) -> Result<Option<f64>> {
                let correlation = || {
                    let (x, y) = (Signed::of(&x)?, Signed::of(&y)?);
                    let apart = Signed::of(&products)?.apart(count, &x, &y);
                    apart.of_root(&Signed::of(&xx)?.apart(count, &x, &x), &Signed::of(&yy)?.apart(count, &y, &y))
                };
                Ok((count > 0).then(|| correlation().unwrap_or(f64::NAN)))
            }
        }

        impl Op<[$number; 2]> for WeightedMean {
            type Fold = (Dot, NumberFold<[$number; 2], 2, Sum>);
            type Output = Option<$float>;
            const NAME: &'static str = "weighted_mean";
            const ABOUT: &'static str = "Mean of the first input weighted by the second, rounded once";
            const EXACT: bool = true;

            fn fold(&self) -> Self::Fold {
                (Dot, number_of_each(1, Sum))
            }
            fn finish(&self, (products, weights): Acc<[$number; 2], Self>, count: u64) -> Result<Option<$float>> {
                const UNIT: i32 = <Elements as Terms<$number>>::UNIT;
                let quotient = || Signed::of(&products)?.quotient(&Signed::of(&weights)?, UNIT);
                // Of numbers that are not finite or 0, sizes do not matter.
                let special = || match products.scaled(0, count).0 / weights.scaled(0, count).0 {
                    ratio if ratio.is_nan() => <$float>::NAN,
                    ratio => ratio as $float,
                };
                Ok((count > 0).then(|| quotient().unwrap_or_else(special)))
            }
        }

        impl Op<[$number; 2]> for Cosine {
            type Fold = (Dot, SumsOfSquares);
            type Output = Option<$float>;
            const NAME: &'static str = "cosine";
            const ABOUT: &'static str = "Cosine of the angle between two inputs, rounded once";
            const EXACT: bool = true;

            fn fold(&self) -> Self::Fold {
                (Dot, SumsOfSquares::default())
            }
            fn finish(&self, (products, (xx, yy)): Acc<[$number; 2], Self>, count: u64) -> Result<Option<$float>> {
                let cosine = || Signed::of(&products)?.of_root(&Signed::of(&xx)?, &Signed::of(&yy)?);
                Ok((count > 0).then(|| cosine().unwrap_or(<$float>::NAN)))
            }
        }
    )+};
}

exact_relations!(f32 => f32, f64 => f64, i64 => f64, u64 => f64);
