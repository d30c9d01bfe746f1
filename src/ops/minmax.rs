//! Minimum and maximum in one read.

pub use super::extreme::MinMax;
