//! Whole inputs on the adapter: every operator and type against plain references, the contract of operators, and wrong kernels.

#[path = "../common/mod.rs"]
mod common;

mod answers_again;
mod contract;
mod count_if;
mod dynamic;
mod expressions;
mod functions;
mod guest;
mod histogram;
mod histogram2d;
mod kernels;
mod ranker;
mod ranker_each;
mod semantics;
mod top;
mod wrong;
