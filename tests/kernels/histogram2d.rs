//! Histograms in two dimensions against an obvious loop in f64, on the host and on the adapter.

use crate::common::histograms::{edges, pairs};
use crate::common::*;
use treefold::ops::{Dot, Histogram, Histogram2d, visit_with};
use treefold::{Cpu, Dtype, Engine, Error, Partial, StreamOptions};

fn none(failures: Vec<String>) {
    assert!(failures.is_empty(), "{}", some(&failures));
}

/// Equal bins, and their edges.
fn equal(bins: u32, low: f64, high: f64) -> (Histogram, Vec<f64>) {
    (Histogram::new(bins, low, high).expect("a histogram"), edges(bins, low, high))
}

fn given(edges: &[f64]) -> (Histogram, Vec<f64>) {
    (Histogram::of_edges(edges).expect("edges"), edges.to_vec())
}

fn whole(low: i64, high: i64) -> (Histogram, Vec<f64>) {
    let edges = (low..=high + 1).map(|k| k as f64 - 0.5).collect();
    (Histogram::integers(low, high).expect("whole numbers"), edges)
}

#[test]
fn every_pair_of_axes() {
    let own = *gpu().tuning();
    let axes = [
        [equal(1, 0.0, 1.0), equal(1, -1.0, 1.0)],
        [equal(3, 0.0, 1.0), equal(5, -3.7, -0.1)],
        [equal(7, -2e-38, 1e-38), given(&[-1e300, -1.0, -1e-42, 0.0, 1.0 / 3.0])],
        [given(&[-0.0, 5e-324, 1e-45, 1.0]), equal(40, 1.0, 1.000_001)],
        [whole(-3, 30), equal(10, -1e300, 1e301)],
        [equal(30, -1.0, 1.0), equal(33, 0.1, 0.3)],
    ];
    for (number, tuning) in [small().loads(1), own].into_iter().enumerate() {
        let gpu = gpu().with_tuning(tuning).expect("a launch shape");
        for [(x, x_edges), (y, y_edges)] in one_in(2, &axes[if all() { 0 } else { number }..]) {
            none(pairs(&gpu, [(x, &x_edges), (y, &y_edges)]));
        }
    }
}

#[test]
fn more_bins_than_workgroup_memory_holds() {
    let [(x, x_edges), (y, y_edges)] = [equal(300, -1.0, 1.0), equal(257, 0.0, 5.0)];
    let axes = [(x, &x_edges[..]), (y, &y_edges[..])];
    for most in [1, 65_535] {
        let gpu = gpu().with_tuning(gpu().tuning().with(|tuning| tuning.slices_max = most)).expect("a launch shape");
        none(pairs(&gpu, axes.clone()));
    }
}

fn some_pairs(n: u32) -> Vec<[f32; 2]> {
    (0..n).map(|i| [(i * 7919 % 1009) as f32 / 500.0 - 1.0, (i * 31 % 613) as f32 / 100.0]).collect()
}

/// Parts, streams and tuples give the counts of the whole.
#[test]
fn parts_streams_and_tuples() {
    let over = Histogram2d::new(equal(10, -1.0, 1.0).0, equal(20, 0.0, 5.0).0).expect("a histogram");
    let pairs = some_pairs(100_000);
    let want = Cpu::with_threads(1).reduce(over.clone(), &pairs).expect("counts");
    assert_eq!(want.bins.iter().sum::<u64>() + want.outside + want.nan, 100_000);
    assert!(want.outside > 0 && want.bins.iter().all(|&count| count > 0));
    for engine in [Engine::Gpu(gpu()), Engine::Cpu(Cpu::new())] {
        let mut stream = engine.stream::<[f32; 2], _>(over.clone(), &StreamOptions::default()).expect("a stream");
        pairs.chunks(33_333).for_each(|part| stream.push(part).expect("a part"));
        assert_eq!(stream.finish().expect("counts").output, want);
        let (counts, dot) = engine.reduce((over.clone(), Dot), &pairs).expect("both");
        assert_eq!((counts, dot), (want.clone(), Cpu::new().reduce(Dot, &pairs).expect("a dot product")));
    }
    let (front, back) = pairs.split_at(40_000);
    let [front, back] = [front, back].map(|part| Cpu::new().partial(over.clone(), part).to_bytes().expect("bytes"));
    let read = |bytes: &[u8], op: &Histogram2d| Partial::<[f32; 2], _>::from_bytes(op.clone(), bytes);
    let merged = read(&front, &over).expect("a partial").merge(read(&back, &over).expect("a partial")).expect("both");
    assert_eq!(merged.finish().expect("counts"), want);
    let turned = Histogram2d::new(equal(20, -1.0, 1.0).0, equal(10, 0.0, 5.0).0).expect("a histogram");
    let error = read(&front, &turned).map(drop).expect_err("another shape").to_string();
    assert!(error.contains("histogram2d(bins=10,range=-1:1,bins_y=20,range_y=0:5)"), "{error}");
}

/// Pairs of 64 bits, equal bins, given edges and whole numbers among them; and so many that they lie in the device's memory.
#[test]
fn pairs_of_64_bits() {
    let axes = [
        [equal(3, -1.0, 1.0).0, given(&[-1e300, -1.0, -1e-42, 0.0, 1.0 / 3.0]).0],
        [whole(-3, 30).0, equal(7, 0.0, 5.0).0],
        [equal(300, -1.0, 1.0).0, equal(257, 0.0, 5.0).0],
    ];
    let gpu = gpu();
    let special = [0.0, -0.0, f64::NAN, f64::INFINITY, -1.0, 1.0, 5.0, 5e-324, -1e300, f64::MIN];
    let special = special.iter().flat_map(|&x| special.map(|y| [x, y]));
    let doubles: Vec<[f64; 2]> = some_pairs(5000).iter().map(|pair| pair.map(f64::from)).chain(special).collect();
    let whole: Vec<[i64; 2]> = doubles.iter().map(|pair| pair.map(|x| (x * 7.0) as i64)).collect();
    for [x, y] in axes {
        let over = Histogram2d::new(x, y).expect("a histogram");
        let want = Cpu::with_threads(2).reduce(over.clone(), &doubles).expect("counts");
        assert_eq!(gpu.reduce(over.clone(), &doubles).expect("counts"), want);
        let want = Cpu::with_threads(2).reduce(over.clone(), &whole).expect("counts");
        assert_eq!(gpu.reduce(over, &whole).expect("counts"), want);
    }
}

#[test]
fn special_values() {
    let over = Histogram2d::new(equal(2, 0.0, 2.0).0, whole(0, 1).0).expect("a histogram");
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let pairs =
        [[-0.0, 0.0], [2.0, 1.5], [2.0, 1.6], [nan, 0.0], [9.0, nan], [nan, nan], [inf, 0.0], [0.0, -inf], [1.0, 0.5]];
    for engine in [Engine::Gpu(gpu()), Engine::Cpu(Cpu::new())] {
        let counts = engine.reduce(over.clone(), &pairs).expect("counts");
        assert_eq!((counts.shape, counts.bins), ([2, 2], vec![1, 0, 0, 2]));
        assert_eq!((counts.outside, counts.nan), (3, 3));
        let counts = engine.reduce(over.clone(), &[[0.0f32; 2]; 0]).expect("counts of nothing");
        assert_eq!((counts.bins, counts.outside, counts.nan), (vec![0; 4], 0, 0));
    }
}

#[test]
fn too_many_bins_are_an_error() {
    let axis = || equal(5000, 0.0, 1.0).0;
    let error = Histogram2d::new(axis(), axis()).map(drop).expect_err("too many");
    assert!(matches!(error, Error::TooManyBins { x: 5000, y: 5000 }), "{error}");
    struct Nothing;
    impl treefold::ops::Visitor for Nothing {
        type Out = ();
        fn visit<T: treefold::Element>(self, _: treefold::DynOp<T>) {}
    }
    let told = [("bins", "5000"), ("bins_y", "5000")];
    let error = visit_with("histogram2d", Dtype::F32x2, &told, Nothing).expect_err("too many");
    assert!(matches!(error, Error::TooManyBins { .. }), "{error}");
}
