//! Exact operators against rational arithmetic, through every door, with wrong kernels, and the answers that are kept.

#[path = "../common/mod.rs"]
mod common;

mod alone;
mod doors;
mod exact;
mod exact_wrong;
mod float64;
mod golden;
mod numbers;
mod partials;
mod quotients;
