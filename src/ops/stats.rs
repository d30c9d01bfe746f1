//! The usual summary of a data set, in one read: exact, and fast.

use super::located::found;
use super::fast_sum::{close_sum, slack};
use super::fast_variance::close_variance;
use super::exact::{Elements, Terms};
use super::{ArgMax, ArgMin, CountNan, FastSum, FastVariance, Found, Mean, Std, Sum, SumOfSquares, Variance};
use crate::{Acc, Answer, Op, Part, Result, Value};

/// The answer of [`Stats`] about elements of type `T`, whose sum is a `S`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary<T, S> {
    /// Number of elements, NaN included.
    pub count: u64,
    /// Number of elements that are NaN.
    pub nan_count: u64,
    /// Their sum, as [`Sum`] gives it.
    pub sum: S,
    /// Their mean; `None` of nothing.
    pub mean: Option<f64>,
    /// The standard deviation; `None` where count <= ddof.
    pub std: Option<f64>,
    /// The smallest element and its index, as [`ArgMin`] gives them.
    pub min: Option<Found<T>>,
    /// The largest element and its index, as [`ArgMax`] gives them.
    pub max: Option<Found<T>>,
}

impl<T: Copy + Into<Value>, S: Copy + Into<Value>> Answer for Summary<T, S> {
    fn parts(&self) -> Vec<Part> {
        vec![
            Part::new("count", self.count),
            Part::new("nan_count", self.nan_count),
            Part::new("sum", self.sum),
            Part::new("mean", self.mean),
            Part::new("std", self.std),
            found("min", self.min),
            found("max", self.max),
        ]
    }
}

/// Count, NaN count, sum, mean, standard deviation, minimum and maximum with their indices: one read of the data.
///
/// The sum is that of [`Sum`]; mean and deviation are f64. Of floats every number is as if computed in real numbers and rounded
/// once: the deviation comes from Σx and Σx² as integers that no addition rounds, n·Σx² - (Σx)² over n·(n - ddof), so nothing
/// cancels. Of integers likewise.
///
/// - **Exact**: the same bits on every adapter, whatever the launch shape, the parts and the version.
/// - **NaN**: sum, mean, deviation, minimum and maximum are NaN if there is one. **Infinities**: as for [`Sum`]; the
///   deviation is NaN. **Empty**: sum 0, `None` for the rest.
/// - No device answer: for `reduce`, not `record`.
///
/// ```
/// use treefold::{Cpu, ops::Stats};
/// let summary = Cpu::new().reduce(Stats::default(), &[1e8f32, 1e8, 1e8 + 8.0, 1e8 + 8.0])?;
/// assert_eq!((summary.mean, summary.std), (Some(1e8 + 4.0), Some(4.0)));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Stats {
    /// Delta degrees of freedom of the standard deviation.
    pub ddof: u32,
}

/// [`Stats`] of f32, accumulated in f32: sum and deviation are those of [`FastSum`] and [`FastVariance`].
///
/// ```
/// use treefold::{Cpu, ops::FastStats};
/// let summary = Cpu::new().reduce(FastStats::default(), &[2.0f32, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0])?;
/// assert_eq!((summary.mean, summary.std), (Some(5.0), Some(2.0)));
/// assert_eq!(summary.max.map(|found| found.index), Some(7));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct FastStats {
    /// Delta degrees of freedom of the standard deviation.
    pub ddof: u32,
}

const ABOUT: &str = "Count, NaN count, sum, mean, std, min and max with their indices";

/// Over the two exact sums, each a fold of its own.
macro_rules! stats_of_sums {
    ($($type:ty, $sum:ty;)+) => {$(
        impl Op<$type> for Stats {
            type Fold = (CountNan, Sum, SumOfSquares, ArgMin, ArgMax);
            type Output = Summary<$type, $sum>;
            const NAME: &'static str = "stats";
            const ABOUT: &'static str = ABOUT;
            const EXACT: bool = true;

            fn signature(&self) -> String {
                format!("stats(ddof={})", self.ddof)
            }
            fn fold(&self) -> Self::Fold {
                (CountNan, Sum, SumOfSquares, ArgMin, ArgMax)
            }
            fn finish(&self, acc: Acc<$type, Self>, count: u64) -> Result<Summary<$type, $sum>> {
                let mean = (count > 0).then(|| acc.1.quotient(<Elements as Terms<$type>>::UNIT, count, count));
                let std = Op::<$type>::finish(&Std { ddof: self.ddof }, (acc.1, acc.2), count)?;
                // Squares have more bits than their sum as an answer of its own.
                let (nan_count, sum) = Op::<$type>::finish(&(CountNan, Sum), (acc.0, acc.1), count)?;
                let (min, max) = Op::<$type>::finish(&(ArgMin, ArgMax), (acc.3, acc.4), count)?;
                Ok(Summary { count, nan_count, sum, mean, std, min, max })
            }
        }
    )+};
}

stats_of_sums! {
    f32, f32;
    f64, f64;
    i64, i128;
    u64, u128;
}

macro_rules! stats {
    ($name:ident = $text:literal over $type:ty, $sum_op:ident, $variance:ident, $sum:ty, $exact:literal, |$acc:ident, $count:ident, $ddof:ident| $mean:expr, $std:expr; $close:expr) => {
        impl Op<$type> for $name {
            type Fold = (CountNan, $sum_op, <$variance as Op<$type>>::Fold, ArgMin, ArgMax);
            type Output = Summary<$type, $sum>;
            const NAME: &'static str = $text;
            const ABOUT: &'static str = ABOUT;
            const EXACT: bool = $exact;

            fn signature(&self) -> String {
                format!(concat!($text, "(ddof={})"), self.ddof)
            }
            fn fold(&self) -> Self::Fold {
                (CountNan, $sum_op, Op::<$type>::fold(&$variance { ddof: self.ddof }), ArgMin, ArgMax)
            }
            fn finish(&self, $acc: Acc<$type, Self>, $count: u64) -> Result<Self::Output> {
                let $ddof = self.ddof;
                let (mean, std) = ($mean, $std);
                let parts = (CountNan, $sum_op, $variance { ddof: self.ddof }, ArgMin, ArgMax);
                let (nan_count, sum, _, min, max) = Op::<$type>::finish(&parts, $acc, $count)?;
                Ok(Summary { count: $count, nan_count, sum, mean, std, min, max })
            }
            fn close(&self, device: &Self::Output, host: &Self::Output, elements: &[$type], _: bool) -> bool {
                let same = |summary: &Self::Output| {
                    let none = Summary { sum: Default::default(), mean: None, std: None, ..*summary };
                    format!("{none:?}")
                };
                same(device) == same(host) && ($close)(device, host, elements)
            }
        }
    };
}

stats!(FastStats = "fast_stats" over f32, FastSum, FastVariance, f32, false,
    |acc, count, ddof| (count > 0).then(|| f64::from(acc.1.value()) / count as f64),
    FastVariance { ddof }.finish(acc.2, count)?.map(f64::sqrt);
    |device: &Summary<f32, f32>, host: &Summary<f32, f32>, elements: &[f32]| {
        let std = match (device.std, host.std) {
            (Some(device), Some(host)) => close_variance(device * device, host * host, elements),
            (device, host) => device.is_none() && host.is_none(),
        };
        let mean = match (device.mean, host.mean) {
            (Some(device), Some(host)) => close_sum(device, host, slack(elements) / elements.len() as f64, elements),
            (device, host) => device.is_none() && host.is_none(),
        };
        std && mean && close_sum(device.sum.into(), host.sum.into(), slack(elements), elements)
    });

stats!(Stats = "stats" over i32, Sum, Variance, i64, true,
    |acc, count, ddof| Op::<i32>::finish(&Mean, acc.1, count)?, Op::<i32>::finish(&Std { ddof }, acc.2, count)?;
    |device: &Summary<i32, i64>, host: &Summary<i32, i64>, _: &[i32]| device == host);
stats!(Stats = "stats" over u32, Sum, Variance, u64, true,
    |acc, count, ddof| Op::<u32>::finish(&Mean, acc.1, count)?, Op::<u32>::finish(&Std { ddof }, acc.2, count)?;
    |device: &Summary<u32, u64>, host: &Summary<u32, u64>, _: &[u32]| device == host);
