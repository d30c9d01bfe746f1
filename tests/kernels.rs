//! Every operator and element type on the adapter, against a plain fold, over the boundaries of several launch shapes;
//! and wrong kernels, which these very checks must notice.

mod common;
use common::*;
use treefold::{Dtype, Error, Gpu, Op, Tuning, ops};

/// Every operator over every type; each on a context of its own, so that pipelines do not pile up.
fn compare(gpu: &Gpu, shape: Tuning, names: &[&str]) -> Vec<String> {
    let lengths = lengths(&shape);
    let mut failures = Vec::new();
    for &name in names {
        let gpu = gpu.with_tuning(shape).expect("a launch shape");
        let mut compare = Compare { gpu: &gpu, lengths: &lengths, failures: Vec::new() };
        for dtype in Dtype::ALL.into_iter().chain([Dtype::F32x2]) {
            let seen = ops::visit(name, dtype, &mut compare).is_some();
            assert_eq!(seen, takes(name, dtype), "{name} {dtype}");
        }
        failures.append(&mut compare.failures);
    }
    failures
}

fn check(gpu: &Gpu, shape: Tuning) {
    let failures = compare(gpu, shape, &ops::names());
    assert!(failures.is_empty(), "{shape:?}: {}", some(&failures));
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
fn every_operator_and_type_by_subgroups() {
    if let Ok(lanes) = std::env::var("TREEFOLD_TEST_LANES") {
        assert_eq!(gpu().info().subgroup_min_size.to_string(), lanes, "the driver did not take the number of lanes");
        let failures = coverage(&gpu().with_tuning(shapes()[0]).expect("a launch shape"), &lengths(&shapes()[0]));
        assert!(failures.is_empty(), "{}", some(&failures));
    }
    check(&gpu(), shapes()[0]);
}

#[test]
fn every_operator_and_type_without_subgroups() {
    check(&gpu(), shapes()[4]);
}

#[test]
fn every_operator_and_type_as_the_adapter_runs_it() {
    check(&gpu(), *gpu().tuning());
}

/// lavapipe takes its subgroup size from the width of the vectors it compiles for, once in a process.
#[test]
fn every_operator_and_type_at_other_subgroup_sizes() {
    if !gpu().info().name.contains("llvmpipe") {
        return println!(
            "only lavapipe can change its subgroup size; this adapter has one, which the other tests cover"
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

#[test]
fn short_bindings_small_workgroups_no_features() {
    let gpu = small_gpu(4096);
    let shape = Tuning { workgroup_size: 256, single_workgroup_size: 1024, ..shapes()[0] };
    // A binding ends at 1024 elements, less what its offset is rounded down by.
    let mut lengths = lengths(&shapes()[0]);
    lengths.extend([1023, 1024, 1025, 2047, 2048, 2049, 3071, 3072, 3073, 10_000]);
    let failures = coverage(&gpu.with_tuning(shape).expect("a launch shape"), &lengths);
    assert!(failures.is_empty(), "{}", some(&failures));
    let failures = compare(&gpu, shape, &["sum", "argmax", "stats"]);
    assert!(failures.is_empty(), "{}", some(&failures));
}

/// What a patch of the shader text breaks: index coverage and order, or the answers of one operator.
fn notices(patch: fn(String) -> String, operator: Option<&str>) -> bool {
    shapes().into_iter().any(|shape| {
        let gpu = gpu().with_tuning(shape).and_then(|gpu| gpu.with_patched_shaders(patch)).expect("a launch shape");
        let lengths = lengths(&shape);
        match operator {
            None => !coverage(&gpu, &lengths).is_empty(),
            Some(name) => {
                let mut compare = Compare { gpu: &gpu, lengths: &lengths, failures: Vec::new() };
                ops::visit(name, Dtype::F32, &mut compare);
                !compare.failures.is_empty()
            }
        }
    })
}

macro_rules! wrong {
    ($($test:ident: $from:literal => $to:literal, $operator:expr;)*) => {
        mod wrong_kernel_is_noticed {
            $(#[test]
            fn $test() {
                assert!(super::notices(|text| text.replace($from, $to), $operator));
            })*
        }
    };
}

wrong! {
    head_left_out: "e < min(low * QUAD, end)" => "e < 0u", None;
    tail_one_late: "max(high * QUAD, params.first)" => "max(high * QUAD, params.first) + 1u", None;
    rest_of_a_round_lost: "if 1u < left" => "if 2u < left", None;
    round_read_twice: "next_quad(q);" => "q + STEP;", None;
    quads_past_the_end: "min((high - last - 1u) / STEP + 1u, LOADS)" => "LOADS", None;
    other_workgroups_tile: "who.workgroup.x * TILE" => "who.workgroup.x * STEP", None;
    whole_rounds_left_out: "params.run * LOADS + select" => "0u + select", None;
    first_load_again: "var quad1 = load(q + 1u" => "var quad1 = load(q + 0u", None;
    coming_load_again: "let coming1 = load(next + 1u" => "let coming1 = load(next + 0u", None;
    loads_that_came_are_lost: "quad1 = coming1;" => "", None;
    tree_one_step_short: "distance < WORKGROUP_SIZE; distance" => "distance * 2u < WORKGROUP_SIZE; distance", None;
    tree_sides_swapped: "combine(held[at], held[at + distance])" => "combine(held[at + distance], held[at])", None;
    butterfly_one_step_short: "if ((1u << 1u) < LANES_MIN) | ((1u << 1u) < lanes)" => "if false", None;
    first_subgroup_only: "held[who.subgroup] = folded;" => "if who.subgroup == 0u { held[0] = folded; }", None;
    last_partial_lost: "p < high; p++" => "p + 1u < high; p++", None;
    index_not_rebased: "rebase(mine, params.base)" => "rebase(mine, vec2<u32>(0u, 0u))", None;
    minimum_becomes_maximum: "return min(a, b)" => "return max(a, b)", Some("min");
    nan_ignored: "select(key(bits), 0u, is_nan(bits))" => "key(bits)", Some("min");
    last_index_wins: "(rb == ra) & earlier" => "(rb == ra) & !earlier", Some("argmin");
    negative_zero_lost: "select(0u, 0x80000000u" => "select(0u, 0u", Some("sum");
    infinities_cancel: "|| (plus && minus)" => "", Some("sum");
}

#[test]
fn a_missing_seal_is_an_error() {
    let patch = |text: String| text.replace("Sealed(acc, SEAL)", "Sealed(acc, 0u)");
    let gpu = gpu().with_patched_shaders(patch).expect("a device");
    let answer = gpu.reduce(ops::Sum, &[1.0f32, 2.0]);
    assert!(matches!(answer, Err(Error::ResultMissing)), "{answer:?}");
}

#[test]
fn a_wrong_operator_text_is_an_error_that_shows_it() {
    #[derive(Clone)]
    struct Broken;
    impl Op<u32> for Broken {
        type Acc = u32;
        type Output = u32;
        const ANSWER_WORDS: usize = 1;
        fn name(&self) -> &'static str {
            "broken"
        }
        fn identity(&self) -> u32 {
            0
        }
        fn lift(&self, x: u32, _: u64) -> u32 {
            x
        }
        fn combine(&self, a: u32, b: u32) -> u32 {
            a + b
        }
        fn finish(&self, acc: u32, _: u64) -> treefold::Result<u32> {
            Ok(acc)
        }
        fn wgsl(&self) -> String {
            "fn identity() -> Acc { return nothing_of_that_name; }".into()
        }
    }
    let error = gpu().reducer::<u32, _>(Broken).err().map(|error| error.to_string());
    assert!(error.is_some_and(|text| text.contains("nothing_of_that_name")));
}
