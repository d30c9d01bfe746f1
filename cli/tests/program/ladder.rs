//! `treefold ladder`: its table, its JSON, the tutorial's block, explanations, and errors for wrong command lines.

use crate::common::{Done, Folder, finish, program, text};
use serde_json::Value;

/// Runs the ladder on the best adapter: its kernels have no CPU engine.
fn ladder(args: &[&str]) -> Done {
    let mut command = program();
    command.arg("ladder").args(args);
    finish(command, b"")
}

fn objects(done: &Done) -> Vec<Value> {
    assert_eq!(done.status, 0, "{done:?}");
    done.out.lines().map(|line| serde_json::from_str(line).expect("one object per line")).collect()
}

#[test]
fn the_table_has_every_stage_and_the_shares_before_it() {
    let done = ladder(&["--size", "20000"]);
    let text = done.text();
    for id in
        ["v0", "v6", "mask", "min+sum", "atomic-i32", "cas-f64", "workgroup", "dot-vec4", "treefold", "largest-prime"]
    {
        assert!(text.lines().any(|line| line.starts_with(&format!("│ {id} "))), "no {id} in\n{text}");
    }
    assert!(text.contains("PASSED") && !text.contains("FAILED"), "{text}");
    assert!(text.contains("in one piece") && text.contains("In parts") && text.contains("kernel"), "{text}");
    // 20000 is no whole number of blocks of 2048: the table mentions the padding.
    assert!(text.contains("padded to 20,480 elements, whole blocks: v2, v3, v4, v5, v6"), "{text}");
}

#[test]
fn a_version_prints_the_tutorials_block() {
    let done = ladder(&["-n", "4", "--size", "4096"]);
    let lines: Vec<&str> = done.text().lines().collect();
    let starts = [
        "Using kernel 'v4'",
        "Number of elements: 4096",
        "Will use this device: ",
        "Test PASSED!",
        "GPU memory IO: ",
        "GPU memory bandwidth: ",
        "T kernels: ",
        "T gpu: ",
        "T ref: ",
        "Speedup: ",
    ];
    assert_eq!(lines.len(), starts.len(), "{lines:?}");
    for (line, start) in lines.iter().zip(starts) {
        assert!(line.starts_with(start), "{line} begins with {start}");
    }
}

#[test]
fn json_has_one_object_per_stage() {
    let objects = objects(&ladder(&["--json", "--stage", "v1", "--stage", "mask", "--size", "1000"]));
    assert_eq!(objects.len(), 2);
    for (object, id) in objects.iter().zip(["v1", "mask"]) {
        assert_eq!(object["stage"], id);
        assert_eq!(object["status"], "PASSED");
        assert_eq!(object["count"], 1000);
        assert!(object["source"].as_str().is_some_and(|source| source.len() > 10));
        assert!(object["t_gpu_ms"].as_f64().is_some_and(|ms| ms > 0.0), "{object}");
        assert!(object["passes"].as_u64().is_some_and(|passes| passes > 0), "{object}");
        for field in ["t_kernel_ms", "gb_per_s", "speedup", "speedup_all_cores", "percent_of_read"] {
            // Without a clock it is null; it is never 0.
            assert!(object.get(field).is_some_and(|x| x.is_null() || x.as_f64() > Some(0.0)), "{field} of {object}");
        }
    }
    // 1000, 500, 250, 125 (and one more), 63: four halvings, each timed.
    assert_eq!(objects[0]["passes"], 4);
    assert_eq!(objects[0]["pass_times"].as_array().map(Vec::len), Some(4));
    assert_eq!(objects[0]["value"], objects[0]["expected"]);
    assert!(objects[1]["relative_error"].as_f64().is_some_and(|error| (0.0..1e-4).contains(&error)));
}

#[test]
fn min_runs_where_a_stage_has_it() {
    let all = objects(&ladder(&["--json", "--op", "min", "--size", "2^12"]));
    assert!(all.iter().all(|object| object["status"] != "FAILED"));
    let ids: Vec<&str> = all.iter().filter_map(|object| object["stage"].as_str()).collect();
    assert!(ids.contains(&"v6") && ids.contains(&"tree-identity") && !ids.contains(&"mask"), "{ids:?}");
    assert!(ladder(&["--op", "min", "--size", "100"]).text().contains("sum only, so not run: mask"));
    ladder(&["--op", "min", "--stage", "mask"]).fails(2, &["mask", "dot only"]);
}

#[test]
fn a_stage_is_explained_without_running() {
    let done = ladder(&["--explain", "v4"]);
    let text = done.text();
    for phrase in [
        "Guillermo Marcus",
        "fold(l + 448u, 512u)",
        "64 invocations, 4096 bytes of workgroup memory",
        "16384 workgroups of 64",
        // The tutorial's own profile: 3 workgroups of 64, 19 % (18.75) of 1024.
        "GeForce GTX 260  3 to a multiprocessor, 18 %",
        "It says",
    ] {
        assert!(text.contains(phrase), "no {phrase:?} in\n{text}");
    }
    assert!(ladder(&["--explain", "v5"]).text().contains("3 to a multiprocessor, 37 %"));
    assert!(ladder(&["--explain", "v6"]).text().contains("6 to a multiprocessor, 75 %"));
    assert!(ladder(&["--explain", "cas-f64"]).text().contains("atomic<u32>, 2"), "both kernels are shown");
}

#[test]
fn a_sweep_tells_and_draws_every_length_and_workgroup_size() {
    let folder = Folder::new();
    let (svg, html) = (folder.path().join("l.svg"), folder.path().join("l.html"));
    let (svg, html) = (crate::common::text(svg), crate::common::text(html));
    let args = ["--sweep", "--stage", "two-step", "--size", "2^12", "--plot", &svg, "--html", &html];
    let done = ladder(&args);
    assert!(done.text().contains("by workgroup size") || done.text().contains("No GPU clock"), "{done:?}");
    let picture = std::fs::read_to_string(&svg).expect("a picture");
    assert!(picture.starts_with("<svg") && picture.contains("two-step") && picture.contains("GB/s"), "{picture}");
    let page = std::fs::read_to_string(&html).expect("a page");
    assert!(page.contains("array&lt;T, WG&gt;") && page.contains("Pawel Pomorski"), "the kernel, escaped");

    let swept = objects(&ladder(&["--sweep", "--stage", "two-step", "--size", "2^12", "--json"]));
    // The table's row; then 2^10, 2^11, 2^12, each by itself and with workgroups of 32, 64, 128, 256, 512.
    assert_eq!(swept.len(), 1 + 3 * 6);
    let sizes: Vec<u64> = swept[2..7].iter().filter_map(|object| object["workgroup_size"].as_u64()).collect();
    assert_eq!(sizes, [32, 64, 128, 256, 512]);
    assert!(swept.iter().all(|object| object["value"].is_string() && object["status"] != "FAILED"));
}

/// Stages of one workgroup size have none to vary.
#[test]
fn every_stage_of_fixed_size_sweeps() {
    let folder = Folder::new();
    let svg = text(folder.path().join("l.svg"));
    let args = ["--sweep", "--size", "2^10", "--json", "--plot", &svg];
    for id in ["v2", "v3", "v4", "v5", "v6"] {
        let swept = objects(&ladder(&[&args[..], &["--force", "--stage", id]].concat()));
        assert_eq!(swept.len(), 2, "{id}");
        assert!(std::fs::read_to_string(&svg).expect("a picture").contains(id));
    }
}

#[test]
fn json_says_what_ran_in_figures_without_noise() {
    let figures = |value: &Value, out: &mut Vec<f64>| {
        let names = ["t_kernel_ms", "t_gpu_ms", "gb_per_s", "percent_of_read", "speedup", "speedup_all_cores"];
        out.extend(names.iter().chain(&["relative_error"]).filter_map(|&name| value[name].as_f64()));
    };
    for (op, stage) in [("sum", "v1"), ("min", "v1"), ("sum", "dot-vec4")] {
        let object = &objects(&ladder(&["--json", "--op", op, "--stage", stage, "--size", "3000"]))[0];
        assert_eq!(object["operator"], if stage == "v1" { op } else { "dot" });
        let mut found = vec![];
        figures(object, &mut found);
        object["pass_times"].as_array().expect("passes").iter().for_each(|pass| figures(pass, &mut found));
        assert!(found.len() > 3, "{object}");
        for x in found {
            assert_eq!(format!("{x:.5e}").parse(), Ok(x), "six digits: {object}");
        }
    }
}

#[test]
fn wrong_command_lines_say_what_is_right() {
    ladder(&["--stage", "v7"]).fails(2, &["v7", "v0, v1, v2", "largest-prime"]);
    ladder(&["--explain", "nothing"]).fails(2, &["nothing", "dot-local"]);
    ladder(&["--size", "0"]).fails(2, &["at least 1 element"]);
    ladder(&["--size", "many"]).fails(2, &["2^20"]);
    ladder(&["--size", "2^40"]).fails(1, &["1099511627776", "ask for 1 to"]);
    ladder(&["-n", "7"]).fails(2, &["0..=6"]);
    ladder(&["--adapter", "cpu"]).fails(2, &["--adapter cpu has no kernels for the ladder"]);
    ladder(&["--explain", "v4", "--adapter", "0"]).fails(2, &["--explain", "--adapter"]);
    ladder(&["--adapter", "nowhere"]).fails(1, &["nowhere"]);
    ladder(&["--plot", "/no/such/folder/l.svg", "--stage", "v0", "--size", "10"]).fails(1, &["/no/such/folder"]);
    let mut command = program();
    command.args(["--json", "ladder"]);
    finish(command, b"").fails(2, &["comes first"]);
}

#[test]
fn the_help_texts_name_it() {
    assert!(ladder(&["--help"]).text().contains("--sweep"));
    let mut command = program();
    command.arg("--help");
    assert!(finish(command, b"").text().contains("treefold ladder"));
}
