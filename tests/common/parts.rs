//! Every combination, or parts that cover.
#![allow(dead_code)]

use std::cell::Cell;

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

thread_local!(static WAY: Cell<Option<usize>> = const { Cell::new(None) });

/// Runs this, in which answers come in one of their ways alone: one takes the turns of the others.
pub fn one_way<R>(turn: usize, run: impl FnOnce() -> R) -> R {
    WAY.set(Some(turn));
    let done = run();
    WAY.set(None);
    done
}

/// Whether answers are reduced to the host, and which of these kinds of recorded ones are wanted.
pub fn ways<K: Copy>(recorded: &[K]) -> (bool, Vec<K>) {
    match (WAY.get().map(|turn| turn % 3), recorded) {
        (None, _) => (true, recorded.to_vec()),
        (Some(0), _) | (_, []) => (true, vec![]),
        (Some(1), [first, ..]) => (false, vec![*first]),
        (Some(_), [.., last]) => (false, vec![*last]),
    }
}
