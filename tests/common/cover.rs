//! What covers: operators that stand for others, where every text or every launch shape is gone through; and whether that is enough.

use std::collections::HashSet;
use std::sync::LazyLock;
use treefold::internals::{
    Arrangement, Cost, DeviceOp, Groups, Keep, Limits, Piece, Planner, Request, Store, assemble,
};
use treefold::ops::{self, TABLE, Visitor};
use treefold::{Dtype, DynOp, Element, Op, Tuning};

/// Whether devices compute it, too.
pub fn on_devices(name: &str, dtype: Dtype) -> bool {
    TABLE.iter().any(|entry| (entry.name, entry.dtype) == (name, dtype) && entry.host_only.is_none())
}

/// Whether an operator over elements of 64 bits has a piece that none before it in the table has; those of fewer bits all count. Its texts
/// are put together from shaders/element, the pieces of one operator, and the same kernels.
pub fn stands_for_others(name: &str, dtype: Dtype) -> bool {
    static STANDING: LazyLock<HashSet<(&str, Dtype)>> = LazyLock::new(|| {
        let mut seen = HashSet::new();
        let wide = TABLE.iter().filter(|entry| is_wide(entry.dtype) && entry.host_only.is_none());
        let new = wide.filter(|entry| {
            let pieces = ops::visit(entry.name, entry.dtype, Pieces).expect("an operator");
            // All of them are seen, whether the first is new or not.
            pieces.into_iter().filter(|piece| seen.insert(piece.clone())).count() > 0
        });
        new.map(|entry| (entry.name, entry.dtype)).collect()
    });
    !is_wide(dtype) || STANDING.contains(&(name, dtype))
}

/// Whether it is over several exact sums of floats, whose kernels take a compiler seconds.
pub fn is_long(name: &str, dtype: Dtype) -> bool {
    match dtype {
        Dtype::F32x2 | Dtype::F64x2 => ["correlation", "covariance", "cosine", "weighted_mean"].contains(&name),
        Dtype::F32 => ["skewness", "kurtosis"].contains(&name),
        Dtype::F64 => ["variance", "std", "sem", "stats"].contains(&name),
        _ => false,
    }
}

fn is_wide(dtype: Dtype) -> bool {
    dtype.bytes() >= 8
}

/// The declarations of an operator's texts: of a whole reduction and of one by keys, in all ways to keep accumulators.
struct Pieces;

impl Visitor for Pieces {
    type Out = HashSet<String>;

    fn visit<T: Element>(self, op: DynOp<T>) -> HashSet<String> {
        let limits = Limits {
            binding_bytes_max: 1 << 30,
            storage_alignment: 16,
            uniform_alignment: 16,
            invocations_max: 256,
            workgroups_max: 65_535,
            workgroup_bytes_max: 32_768,
            storage_buffers_max: 8,
            lanes: Some((32, 32)),
            words64: true,
        };
        let keys = [Piece::of(3, 0, 1 << 20)];
        let groups = Groups { keys: &keys, first: 0, groups: 40 };
        let mut pieces = HashSet::new();
        let bins = |float64| Keep::Bins { replicas: 1, words64: true, float64 };
        for keep in [bins(true), bins(false), Keep::Registers, Keep::Registers64, Keep::Cells] {
            let op = DeviceOp::new::<T, _>(&op, keep).expect("names");
            // Without a choice by self-tests there is one text, whatever is asked for.
            if !op.folds.iter().any(|fold| fold.tested) && !op.has_cells() && keep != Keep::Registers {
                continue;
            }
            let Ok(planner) = Planner::new(limits, Tuning::GPU, Cost::of(&op)) else { continue };
            let store = if op.answers.is_empty() { Store::Sealed } else { Store::Answer { counted: true } };
            for each in [Arrangement::Whole, Arrangement::Groups(groups)] {
                let input = [Piece::of(0, 0, 1 << 20)];
                let request = Request { pieces: &input, each, start: 0, direct: true, store, output: 0 };
                let Ok(plan) = planner.plan(&request) else { continue };
                for pass in plan.passes {
                    pieces.extend(declarations(&assemble(&op, &pass.variant).text));
                }
            }
        }
        assert!(!pieces.is_empty(), "{}: no plan", Op::<T>::name(&op));
        pieces
    }
}

/// The top-level declarations of a text, without comments.
fn declarations(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for line in text.lines().map(|line| line.split("//").next().unwrap_or("").trim_end()) {
        match all.last_mut() {
            Some(last) if line.is_empty() || line.starts_with([' ', '}', ')']) => last.push_str(line),
            _ => all.push(line.into()),
        }
    }
    all
}
