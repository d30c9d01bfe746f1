//! One stage explained: its text, its launch, its workgroups on a multiprocessor, the tutorial's conclusion.

use std::fmt::Write;
use treefold::ladder::{Operator, Stage, StageLaunch};

/// A multiprocessor, as far as workgroups share it.
struct Multiprocessor {
    name: &'static str,
    /// Bytes of workgroup memory, what the driver keeps of it for each workgroup, and the unit in which it gives it out.
    bytes: u64,
    kept: u64,
    unit: u64,
    workgroups: u64,
    invocations: u64,
}

/// The tutorial's, and one of today. Sources: the tutorial's own profile (3 workgroups of 4124 bytes); NVIDIA's tuning guide
/// for compute capability 9.0.
const MULTIPROCESSORS: [Multiprocessor; 2] = [
    Multiprocessor { name: "GeForce GTX 260", bytes: 16 << 10, kept: 28, unit: 512, workgroups: 8, invocations: 1024 },
    Multiprocessor { name: "H200", bytes: 228 << 10, kept: 1024, unit: 128, workgroups: 32, invocations: 2048 },
];

/// The whole text; nothing is run.
pub fn text(stage: &Stage, count: u64, operator: Operator) -> String {
    let mut text = format!("{}: {}\n\n", stage.id, stage.idea);
    add(&mut text, "From", stage.source);
    add(&mut text, "It says", stage.says);
    add(&mut text, "Computes", &format!("{} of {}", stage.computes, stage.element));
    let launches = stage.launches(count, None, operator);
    for (at, launch) in launches.iter().enumerate() {
        let StageLaunch { file, label, workgroups, workgroup_size, .. } = launch;
        add(
            &mut text,
            &format!("Pass {}", at + 1),
            &format!("{label}: {workgroups} workgroups of {workgroup_size}, shaders/{file}"),
        );
    }
    if let Some(launch) = launches.first() {
        resources(&mut text, launch);
    } else {
        add(&mut text, "Launch", "the library plans it for the adapter: treefold sum --verbose FILE shows how");
    }
    let mut shown: Vec<&str> = Vec::new();
    for launch in launches {
        if !shown.contains(&launch.file) {
            shown.push(launch.file);
            let _ = write!(text, "\n---- shaders/{}\n{}", launch.file, launch.wgsl);
        }
    }
    for (file, source) in stage.shaders.iter().filter(|(file, _)| !shown.contains(file)) {
        let _ = write!(text, "\n---- shaders/{file}\n{source}");
    }
    text
}

fn resources(text: &mut String, launch: &StageLaunch) {
    let bytes = launch.workgroup_bytes;
    add(text, "Workgroup", &format!("{} invocations, {bytes} bytes of workgroup memory", launch.workgroup_size));
    for processor in &MULTIPROCESSORS {
        let size = u64::from(launch.workgroup_size);
        let taken = if bytes > 0 { (bytes + processor.kept).next_multiple_of(processor.unit) } else { 0 };
        let by_memory = processor.bytes.checked_div(taken).unwrap_or(u64::MAX);
        let fit = by_memory.min(processor.workgroups).min(processor.invocations / size);
        let limit = if fit == by_memory {
            "its memory is the limit"
        } else if fit == processor.workgroups {
            "it takes no more workgroups"
        } else {
            "it takes no more invocations"
        };
        let share = fit * size * 100 / processor.invocations;
        let line = format!("{fit} to a multiprocessor, {share} % of its invocations; {limit}");
        add(text, processor.name, &line);
    }
}

fn add(text: &mut String, name: &str, value: &str) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "{name:16} {value}");
}
