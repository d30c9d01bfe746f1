//! The usual summary of a data set, in one read.

use super::{ArgMax, ArgMin, CountNan, Found, Sum, Variance};
use crate::shader::{Dialect, Module};
use crate::{Op, Result};

/// What [`Stats`] answers about elements of type `T`, whose sum is a `S`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary<T, S> {
    /// How many elements there are, NaN included.
    pub count: u64,
    /// How many of them are NaN.
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

/// Count, NaN count, sum, mean, standard deviation, minimum and maximum with their indices: one read of the data.
///
/// The parts are those of [`CountNan`], [`Sum`], [`Variance`], [`ArgMin`] and [`ArgMax`], and mean = sum / count. NaN propagates.
/// No device answer: for `reduce`, not `record`.
///
/// ```
/// use treefold::{Cpu, ops::Stats};
/// let summary = Cpu::new().reduce(Stats::default(), &[2.0f32, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0])?;
/// assert_eq!((summary.mean, summary.std), (Some(5.0), Some(2.0)));
/// assert_eq!(summary.max.map(|found| found.index), Some(7));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Stats {
    /// Delta degrees of freedom of the standard deviation.
    pub ddof: u32,
}

type Parts = (CountNan, Sum, Variance, ArgMin, ArgMax);

impl Stats {
    fn parts(&self) -> Parts {
        (CountNan, Sum, Variance { ddof: self.ddof }, ArgMin, ArgMax)
    }
}

macro_rules! stats {
    ($type:ty, $sum:ty, $mean:expr) => {
        impl Op<$type> for Stats {
            type Acc = <Parts as Op<$type>>::Acc;
            type Output = Summary<$type, $sum>;
            const ANSWER_WORDS: usize = 0;
            const ABOUT: &'static str = "Count, NaN count, sum, mean, std, min and max with their indices";
            const PLACES: bool = true;
            const ELEMENTS_MAX: u64 = <Parts as Op<$type>>::ELEMENTS_MAX;

            fn name(&self) -> &'static str {
                "stats"
            }
            fn identity(&self) -> Self::Acc {
                Op::<$type>::identity(&self.parts())
            }
            #[inline(always)]
            fn lift(&self, x: $type, index: u64) -> Self::Acc {
                self.parts().lift(x, index)
            }
            #[inline(always)]
            fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc {
                Op::<$type>::combine(&self.parts(), a, b)
            }
            fn finish(&self, acc: Self::Acc, count: u64) -> Result<Self::Output> {
                let (nan_count, sum, variance, min, max) = Op::<$type>::finish(&self.parts(), acc, count)?;
                let mean = (count > 0).then(|| $mean(sum) / count as f64);
                let std = variance.map(f64::sqrt);
                Ok(Summary { count, nan_count, sum, mean, std, min, max })
            }
            fn wgsl(&self) -> String {
                Op::<$type>::wgsl(&self.parts())
            }
            fn module(&self, dialect: Dialect) -> Module {
                Op::<$type>::module(&self.parts(), dialect)
            }
            #[inline(always)]
            fn fold(&self, elements: &[$type], index: u64) -> Self::Acc {
                self.parts().fold(elements, index)
            }
        }
    };
}

stats!(f32, f32, f64::from);
stats!(i32, i64, |sum| sum as f64);
stats!(u32, u64, |sum| sum as f64);
