//! Every combination, or parts that cover.
#![allow(dead_code)]

/// Whether this run takes every combination (`scripts/test --all`). Else it takes parts that cover.
pub fn all() -> bool {
    std::env::var_os("TREEFOLD_TEST_ALL").is_some_and(|all| !all.is_empty())
}

/// Each case where every combination is wanted, else one in so many.
pub fn one_in<C: Clone>(so_many: usize, cases: &[C]) -> Vec<C> {
    cases.iter().step_by(if all() { 1 } else { so_many }).cloned().collect()
}

/// Each case where every combination is wanted, else every other one: the first or the second of two, by turns.
pub fn every_other<C: Clone>(turn: usize, cases: &[C]) -> Vec<C> {
    if all() { cases.to_vec() } else { one_in(2, &cases[(turn % 2).min(cases.len())..]) }
}
