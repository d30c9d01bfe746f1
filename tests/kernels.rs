//! Every operator and element type on the adapter, against a plain fold, over the boundaries of several launch shapes.

mod common;
use common::*;
use treefold::half::f16;
use treefold::{Dtype, Gpu, Tuning, ops};

/// The types that the operators take, by their pages; one that is not here is tested over those that it says itself.
const TYPES: &[(&str, &[Dtype])] = {
    use Dtype::*;
    const NUMBERS: &[Dtype] = &[F32, I32, U32, F64, I64, U64];
    const ORDERED: &[Dtype] = &[F32, I32, U32, F16, F64, I64, U64];
    const WORDS: &[Dtype] = &[F32, I32, U32];
    const FLOATS: &[Dtype] = &[F32];
    const INTEGERS: &[Dtype] = &[I32, U32, I64, U64];
    &[
        ("sum", ORDERED),
        ("mean", ORDERED),
        ("fast_sum", FLOATS),
        ("fast_mean", FLOATS),
        ("fast_variance", FLOATS),
        ("fast_stats", FLOATS),
        ("variance", NUMBERS),
        ("std", NUMBERS),
        ("product", &[F32, I32, U32, I64, U64]),
        ("min", ORDERED),
        ("max", ORDERED),
        ("minmax", ORDERED),
        ("argmin", ORDERED),
        ("argmax", ORDERED),
        ("count_nonzero", ORDERED),
        ("count_nan", ORDERED),
        ("any", ORDERED),
        ("all", ORDERED),
        ("and", INTEGERS),
        ("or", INTEGERS),
        ("xor", INTEGERS),
        ("stats", NUMBERS),
        ("dot", &[F32x2]),
        ("sumsq", NUMBERS),
        ("norm2", NUMBERS),
        ("logsumexp", FLOATS),
        ("histogram", WORDS),
        ("histogram2d", &[F32x2]),
    ]
};

/// Every operator over every type, or, of elements of 64 bits, those alone that stand for others; each on a context of its own, so that pipelines do not pile up.
fn compare(gpu: &Gpu, shape: Tuning, names: &[&str], every: bool) -> Vec<String> {
    let lengths = lengths(&shape);
    let mut failures = Vec::new();
    for &name in names {
        let gpu = gpu.with_tuning(shape).expect("a launch shape");
        let mut compare = Compare::new(&gpu, &lengths);
        let seen: Vec<Dtype> = every_dtype().filter(|&dtype| on_devices(name, dtype)).collect();
        for &dtype in seen.iter().filter(|&&dtype| every || stands_for_others(name, dtype)) {
            ops::visit(name, dtype, &mut compare);
        }
        let known = TYPES.iter().find(|(operator, _)| *operator == name);
        known.inspect(|(_, types)| assert_eq!(*types, seen, "{name}"));
        failures.append(&mut compare.failures);
    }
    failures
}

fn check(gpu: &Gpu, shape: Tuning, every: bool) {
    let failures = compare(gpu, shape, &ops::names(), every);
    assert!(failures.is_empty(), "{shape:?}: {}", some(&failures));
}

#[test]
fn every_index_once_and_in_order() {
    for shape in shapes() {
        let gpu = gpu().with_tuning(shape).expect("a launch shape");
        let mut failures = coverage::<u32>(&gpu, &lengths(&shape));
        failures.extend(coverage::<f16>(&gpu, &lengths(&shape)));
        failures.extend(coverage::<u64>(&gpu, &lengths(&shape)));
        assert!(failures.is_empty(), "{shape:?}: {}", some(&failures));
    }
}

#[test]
fn every_operator_and_type_by_subgroups() {
    if let Ok(lanes) = std::env::var("TREEFOLD_TEST_LANES") {
        assert_eq!(gpu().info().subgroup_min_size.to_string(), lanes, "the driver did not take the number of lanes");
        let failures = coverage::<u32>(&gpu().with_tuning(small()).expect("a launch shape"), &lengths(&small()));
        assert!(failures.is_empty(), "{}", some(&failures));
    }
    check(&gpu(), small(), std::env::var("TREEFOLD_TEST_LANES").is_err());
}

#[test]
fn every_operator_and_type_without_subgroups() {
    check(&gpu(), shapes()[4], false);
}

#[test]
fn every_operator_and_type_as_the_adapter_runs_it() {
    check(&gpu(), *gpu().tuning(), false);
}

/// lavapipe takes its subgroup size from the width of the vectors it compiles for, once in a process.
#[test]
fn every_operator_and_type_at_other_subgroup_sizes() {
    if !gpu().info().name.contains("llvmpipe") {
        return tell(
            "skipped: only lavapipe can change its subgroup size; this adapter has one, which the other tests cover",
        );
    }
    for (width, lanes) in [(128, 4), (256, 8), (512, 16)] {
        if gpu().info().subgroup_min_size == lanes {
            continue;
        }
        let this = std::env::current_exe().expect("this program");
        let output = std::process::Command::new(this)
            .args(["--exact", "every_operator_and_type_by_subgroups"])
            .env("LP_NATIVE_VECTOR_WIDTH", width.to_string())
            .env("TREEFOLD_TEST_LANES", lanes.to_string())
            .output()
            .expect("a process");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("1 passed"), "{lanes} lanes: {text}");
    }
}

/// The program widens f16; the library takes them as they are.
#[test]
fn halves_are_compared_as_they_are() {
    for shape in [small(), shapes()[4]] {
        let gpu = gpu().with_tuning(shape).expect("a launch shape");
        let lengths = lengths(&shape);
        let mut compare = Compare::new(&gpu, &lengths);
        compare.all::<f16, _>(&ops::Min);
        compare.all::<f16, _>(&ops::Max);
        compare.all::<f16, _>(&ops::MinMax);
        compare.all::<f16, _>(&ops::ArgMin);
        compare.all::<f16, _>(&ops::ArgMax);
        compare.all::<f16, _>(&ops::CountNonzero);
        compare.all::<f16, _>(&ops::CountNan);
        compare.all::<f16, _>(&ops::Any);
        compare.all::<f16, _>(&ops::All);
        assert!(compare.failures.is_empty(), "{shape:?}: {}", some(&compare.failures));
    }
}

#[test]
fn short_bindings_small_workgroups_no_features() {
    let gpu = small_gpu(4096);
    let shape = small().groups(256, 3, 1024);
    // A binding ends at 1024 elements, less what its offset is rounded down by.
    let mut lengths = lengths(&small());
    lengths.extend([1023, 1024, 1025, 2047, 2048, 2049, 3071, 3072, 3073, 10_000]);
    let failures = coverage::<u32>(&gpu.with_tuning(shape).expect("a launch shape"), &lengths);
    assert!(failures.is_empty(), "{}", some(&failures));
    let failures = compare(&gpu, shape, &["fast_sum", "argmax", "fast_stats"], true);
    assert!(failures.is_empty(), "{}", some(&failures));
    // Partials of exact operators are wider. Those of f64 squares, whose bins have no room here, take a compiler minutes.
    let failures = compare(&small_gpu(1 << 15), shape, &["sum", "stats"], false);
    assert!(failures.is_empty(), "{}", some(&failures));
}
