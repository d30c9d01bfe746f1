//! The ladder: every stage at every kind of length, a wrong kernel that must be noticed, and what the files promise.

mod common;

use std::collections::HashSet;
use std::path::Path;
use treefold::ladder::{Ladder, Operator, Outcome, Stage, Status, stages};

/// Runs a stage.
fn outcome(ladder: &Ladder, stage: &'static Stage, size: Option<u32>) -> Outcome {
    ladder.run(stage, size).unwrap_or_else(|error| panic!("{} of {}: {error}", stage.id, ladder.count()))
}

/// Stages that any adapter with WGSL's basics must run.
fn everywhere(stage: &Stage) -> bool {
    !["atomic-f32", "subgroup", "workgroup"].contains(&stage.id)
}

fn every_stage_at(lengths: &[u64], operator: Operator) {
    let mut ladder = Ladder::new(&common::gpu(), 1, operator).expect("a ladder");
    for &n in lengths {
        ladder = ladder.resized(n).expect("a ladder");
        ladder.set_repeats(1);
        for stage in stages().iter().filter(|stage| stage.takes(operator)) {
            let outcome = outcome(&ladder, stage, None);
            match &outcome.status {
                Status::Passed => assert!(outcome.gpu_seconds > 0.0 && !outcome.passes.is_empty(), "{outcome:?}"),
                Status::NotOnThisAdapter { reason } => {
                    assert!(!everywhere(stage) && !reason.is_empty(), "{} of {n}: {reason}", stage.id);
                }
                Status::Failed { reason } => panic!("{} of {n}: {reason}", stage.id),
            }
        }
    }
}

#[test]
fn every_stage_is_right_at_every_length() {
    every_stage_at(&[1, 2, 63, 64, 65, 1000, (1 << 20) - 1, 1 << 20, (1 << 20) + 1], Operator::Sum);
}

#[test]
fn every_minimum_is_right_at_every_length() {
    every_stage_at(&[1, 2, 63, 64, 65, 1000, (1 << 20) + 1], Operator::Min);
}

/// Long enough for an index times the work items to exceed 32 bits in a careless kernel.
#[test]
fn products_of_indices_do_not_overflow() {
    let mut ladder = Ladder::new(&common::gpu(), (1 << 22) + 54_321, Operator::Sum).expect("a ladder");
    ladder.set_repeats(1);
    for id in ["dot-naive", "dot-coalesced", "dot-local", "dot-vec4", "vec4", "loads-in-flight"] {
        let outcome = outcome(&ladder, Stage::named(id).expect("a stage"), None);
        assert_eq!(outcome.status, Status::Passed, "{id}");
    }
}

#[test]
#[ignore = "a minute in release"]
fn every_stage_is_right_at_the_tutorials_length() {
    every_stage_at(&[(1 << 25) - 1, 1 << 25], Operator::Sum);
    every_stage_at(&[1 << 25], Operator::Min);
}

#[test]
fn every_workgroup_size_is_right() {
    let mut ladder = Ladder::new(&common::gpu(), 70_001, Operator::Sum).expect("a ladder");
    ladder.set_repeats(1);
    for id in ["v0", "mask", "any-n", "two-step", "tree-identity", "subgroup", "workgroup", "dot-local"] {
        let stage = Stage::named(id).expect("a stage");
        for size in [32, 512] {
            let outcome = outcome(&ladder, stage, Some(size));
            assert!(!matches!(outcome.status, Status::Failed { .. }), "{id} by {size}: {:?}", outcome.status);
        }
    }
}

/// Every addition forgets what it is given.
fn forget(text: String) -> String {
    let text = text.replace("return a + b;", "return a;").replace("return select(a, b, b < a);", "return a;");
    let text = text.replace("M[l] += M[l + middle];", "M[l] *= 1.0;").replace("sum += A[j]", "sum = A[j]");
    let text = text.replace("subgroupAdd(a)", "a").replace("atomicAdd(&B[0]", "atomicMax(&B[0]");
    let text = text.replace("products[l] +=", "products[l] =").replace("sum[l] +=", "sum[l] =");
    let text = text.replace("atomicAdd(&B, A[i])", "atomicAdd(&B, 0.5)").replace("mine += ", "mine = ");
    let text = text.replace("M[l + middle]) / 2.0", "M[l + middle]) / 2.5").replace("select(a, b, b > a)", "a");
    text.replace("c % d == 0u { return 0u; }", "c % d == 0u { return c; }")
}

#[test]
fn a_wrong_kernel_fails() {
    let right = Ladder::new(&common::gpu(), 70_001, Operator::Sum).expect("a ladder");
    let mut wrong = right.with_patched_shaders(forget).expect("a ladder");
    wrong.set_repeats(1);
    // The library's own kernels are not patched here: tests/kernels/kernels.rs does that.
    for stage in stages().iter().filter(|stage| !stage.is_production()) {
        let outcome = outcome(&wrong, stage, None);
        match outcome.status {
            Status::Failed { reason } => assert!(reason.contains("expected"), "{}: {reason}", stage.id),
            Status::NotOnThisAdapter { .. } => assert!(!everywhere(stage), "{}", stage.id),
            Status::Passed => panic!("{} passes with a kernel that forgets", stage.id),
        }
    }
}

#[test]
fn a_kernel_that_misses_one_element_fails() {
    let right = Ladder::new(&common::gpu(), (1 << 16) + 1, Operator::Sum).expect("a ladder");
    let mut wrong = right
        .with_patched_shaders(|text| {
            text.replace("i < P.size", "i + 1u < P.size").replace("j < P.middle", "j + 1u < P.middle")
        })
        .expect("a ladder");
    wrong.set_repeats(1);
    for id in ["atomic-i32", "min+sum", "cas-f32", "grid-stride", "dot-coalesced", "dot-local", "workgroup"] {
        let stage = Stage::named(id).expect("a stage");
        let outcome = outcome(&wrong, stage, None);
        let skipped = matches!(outcome.status, Status::NotOnThisAdapter { .. });
        assert!(skipped || matches!(outcome.status, Status::Failed { .. }), "{id}: {outcome:?}");
    }
}

#[test]
fn errors_name_what_is_possible() {
    let gpu = common::gpu();
    let most = Ladder::most_elements(&gpu);
    for n in [0, most + 1] {
        let error = Ladder::new(&gpu, n, Operator::Sum).expect_err("an error").to_string();
        assert!(error.contains(&n.to_string()) && error.contains(&most.to_string()), "{error}");
    }
    let ladder = Ladder::new(&gpu, 1000, Operator::Sum).expect("a ladder");
    let v4 = Stage::named("v4").expect("v4");
    assert!(ladder.run(v4, Some(32)).expect_err("an error").to_string().contains("32"));
    assert!(ladder.run(Stage::named("mask").expect("mask"), Some(48)).is_err());
}

#[test]
fn every_pass_is_told() {
    let mut ladder = Ladder::new(&common::gpu(), 1 << 20, Operator::Sum).expect("a ladder");
    ladder.set_repeats(1);
    // 2^20 halved until 64 are left; blocks of 1024, then the host; a tree of 512 to a workgroup until one is left.
    for (id, passes) in [("v0", 14), ("v1", 14), ("v2", 2), ("v3", 1), ("tree-identity", 3), ("two-step", 3)] {
        let outcome = outcome(&ladder, Stage::named(id).expect("a stage"), None);
        assert_eq!(outcome.passes.len(), passes, "{id}");
        let timed: Option<f64> = outcome.passes.iter().map(|pass| pass.seconds).sum();
        assert_eq!(timed, outcome.kernel_seconds, "{id}");
        assert_ne!(timed, Some(0.0), "{id}: an unknown time is not 0");
    }
}

/// Files under shaders/ladder/ that belong to no stage.
const NO_STAGE: [&str; 1] = ["ladder/read.wgsl"];

#[test]
fn every_file_is_in_the_table_short_and_headed_by_its_tutorial() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders/ladder");
    let files = std::fs::read_dir(folder).expect("shaders/ladder");
    let files: HashSet<String> =
        files.map(|file| format!("ladder/{}", file.expect("a file").file_name().to_string_lossy())).collect();
    let mut listed: HashSet<String> = NO_STAGE.map(String::from).into();
    for stage in stages() {
        assert!(!stage.shaders.is_empty() && !stage.idea.is_empty() && !stage.says.is_empty(), "{}", stage.id);
        for (file, text) in stage.shaders {
            listed.insert((*file).into());
            if !file.starts_with("ladder/") {
                continue;
            }
            let lines: Vec<&str> = text.lines().collect();
            assert_eq!(lines[0], format!("// {}", stage.source), "{file}");
            assert!(lines[1].starts_with("// "), "{file} says what changed");
            assert!(lines.len() <= 40, "{file} has {} lines", lines.len());
            assert!(lines.iter().all(|line| line.len() <= 120), "{file}");
        }
    }
    listed.retain(|file| file.starts_with("ladder/"));
    assert_eq!(files, listed);
    let ids: HashSet<&str> = stages().iter().map(|stage| stage.id).collect();
    assert_eq!(ids.len(), stages().len(), "ids are distinct");
}

/// Bytes of workgroup memory and invocations that a valid text declares.
fn declared(text: &str) -> (u64, u32) {
    let module =
        naga::front::wgsl::parse_str(text).unwrap_or_else(|error| panic!("{}\n{text}", error.emit_to_string(text)));
    let mut validator =
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::all());
    validator.validate(&module).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let mut layouter = naga::proc::Layouter::default();
    layouter.update(module.to_ctx()).expect("layouts");
    let shared = module.global_variables.iter().filter(|(_, var)| var.space == naga::AddressSpace::WorkGroup);
    let bytes = shared.map(|(_, var)| u64::from(layouter[var.ty].size)).sum();
    (bytes, module.entry_points[0].workgroup_size.iter().product())
}

#[test]
fn every_text_is_valid_and_declares_the_memory_that_the_table_says() {
    for stage in stages() {
        for operator in [Operator::Sum, Operator::Min] {
            for size in [32, 256, stage.workgroup_size()] {
                if size == 0 || !stage.takes_workgroup_size(size) {
                    continue;
                }
                let launches = stage.launches(1 << 20, Some(size), operator);
                assert!(!launches.is_empty(), "{}", stage.id);
                let mut most = 0;
                for launch in &launches {
                    // Browsers refuse the largest f32 in decimal digits: it rounds to more than f32 holds.
                    assert!(!launch.wgsl.contains("e+38"), "{}: write 0x1.fffffep+127", stage.id);
                    let (bytes, invocations) = declared(&launch.wgsl);
                    assert_eq!(invocations, launch.workgroup_size, "{}", stage.id);
                    most = most.max(bytes);
                }
                assert!(launches.iter().all(|launch| launch.workgroup_bytes == most), "{}: {most}", stage.id);
            }
        }
    }
}
