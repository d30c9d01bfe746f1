//! Exact sums: integers so wide that no addition rounds, and one rounding at the end.
//!
//! A finite f32 is m·2^(e - 150) with a 24-bit m, so 352 bits in units of 2^-150 hold the sum of 2^64 of them. Integer
//! addition commutes and associates, so order, geometry, chunks and device leave no trace in the result.

mod accumulator;
mod columns;
mod four;
mod host;
mod levels;
mod relation;
mod round;
mod spread;
mod unpack;

pub use accumulator::LongAccumulator;
pub(crate) use accumulator::flag;
pub(crate) use columns::sums_of_columns;

pub(crate) use host::{PRODUCTS_F64, products_f32, products_f64, squares_f32, squares_f64, sum_f32, sum_f64};
pub(crate) use relation::Signed;
pub(crate) use round::{BigNat, Float};
pub(crate) use spread::{Spread, ratio};
pub(crate) use unpack::Unpacked;
