//! Skewness and kurtosis: from central moments, merged pairwise.

use super::doubles::{Doubles, NO_F64, no_wgsl, sum_in_lanes};
use crate::{Fold, Op, Result, Wgsl};

/// The skewness of a population, √n·Σ(x - mean)³ / (Σ(x - mean)²)^1.5: SciPy's `skew` as it is by default.
///
/// - **Rounding**: (n, mean, sums of the second to fourth powers of x - mean) in f64, of blocks in two passes, merged pairwise; the relative error is
///   about 10^-13 where the mean is no more than 1000 deviations from 0, and grows with that.
/// - **Order**: commutative. **Empty**: `None`. **All equal**: NaN. **NaN and infinities**: NaN. **Range**: NaN where a fourth power of
///   x - mean leaves that of f64.
/// - On the CPU engine alone, for it adds up in f64.
///
/// ```
/// use treefold::{Cpu, ops::Skewness};
/// assert_eq!(Cpu::new().reduce(Skewness, &[1i32, 2, 3])?, Some(0.0));
/// let skewness = Cpu::new().reduce(Skewness, &[0.0f32, 0.0, 1.0])?.unwrap_or(0.0);
/// assert!((skewness - 0.5f64.sqrt()).abs() < 1e-15);
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
            const NAME: &'static str = "skewness";
            const ABOUT: &'static str = "Skewness of a population";

            fn fold(&self) -> CentralMoments {
                CentralMoments
            }
            fn finish(&self, acc: Central, _: u64) -> Result<Option<f64>> {
                Ok(ratio(acc, |n, squares, cubes, _| n.sqrt() * cubes / (squares * squares.sqrt())))
            }
        }

        impl Op<$type> for Kurtosis {
            type Fold = CentralMoments;
            type Output = Option<f64>;
            const NAME: &'static str = "kurtosis";
            const ABOUT: &'static str = "Excess kurtosis of a population";

            fn fold(&self) -> CentralMoments {
                CentralMoments
            }
            fn finish(&self, acc: Central, _: u64) -> Result<Option<f64>> {
                Ok(ratio(acc, |n, squares, _, fourths| n * fourths / (squares * squares) - 3.0))
            }
        }
    )+};
}

moments!(f32, f64, i32, u32, i64, u64);
