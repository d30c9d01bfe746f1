//! Every operator and element type on the adapter, against a plain fold, over the boundaries of several launch shapes.

mod common;
use common::*;
use treefold::{Dtype, Gpu, ops};

fn compare(gpu: &Gpu, lengths: &[usize]) -> Vec<String> {
    let mut compare = Compare { gpu, lengths, failures: Vec::new() };
    for name in ops::names() {
        for dtype in Dtype::ALL {
            let integers_only = matches!(name, "and" | "or" | "xor");
            let seen = ops::visit(name, dtype, &mut compare).is_some();
            assert_eq!(seen, dtype != Dtype::F32 || !integers_only, "{name} {dtype}");
        }
    }
    compare.failures
}

#[test]
fn every_index_once_and_in_order() {
    for shape in shapes() {
        let gpu = gpu().with_tuning(shape).expect("a launch shape");
        let failures = coverage(&gpu, &lengths(&shape));
        assert!(failures.is_empty(), "{shape:?}: {}", some(&failures));
    }
}

#[test]
fn every_operator_and_type() {
    for shape in shapes().into_iter().step_by(2).chain([*gpu().tuning()]) {
        let gpu = gpu().with_tuning(shape).expect("a launch shape");
        let failures = compare(&gpu, &lengths(&shape));
        assert!(failures.is_empty(), "{shape:?}: {}", some(&failures));
    }
}
