//! Several engines that share the work: their answers are those of one, and the program says what each has done.

use crate::common::*;
use std::path::PathBuf;
use std::process::Command;

/// Numbers whose sum depends on its order where it is rounded on the way.
fn numbers(folder: &Folder) -> String {
    let bits = |n: u32| n.wrapping_mul(0x9e37_79b9) & 0xbfff_ffff;
    let numbers: Vec<f32> = (0..3_000_000).map(|n| f32::from_bits(bits(n))).collect();
    folder.f32("x.npy", &numbers)
}

/// The program where the driver of the first software adapter is there twice; `None` where there is none to copy.
fn twice(folder: &Folder) -> Option<impl Fn(&[&str]) -> Done> {
    let manifest =
        manifests().into_iter().find(|path| std::fs::read_to_string(path).is_ok_and(|text| text.contains("lvp")))?;
    let copy = folder.path().join("copy.json");
    std::fs::copy(&manifest, &copy).unwrap();
    let both = format!("{}:{}", manifest.display(), copy.display());
    Some(move |args: &[&str]| {
        let mut command: Command = program();
        command.args(args).env("VK_DRIVER_FILES", &both).env_remove("WGPU_ADAPTER_NAME").env_remove("WGPU_BACKEND");
        finish(command, b"")
    })
}

/// The descriptions of this machine's Vulkan drivers.
fn manifests() -> Vec<PathBuf> {
    if let Some(told) = std::env::var_os("VK_DRIVER_FILES") {
        return std::env::split_paths(&told).collect();
    }
    let files = std::fs::read_dir("/usr/share/vulkan/icd.d").into_iter().flatten().flatten();
    files.map(|entry| entry.path()).collect()
}

#[test]
fn two_adapters_share() {
    let folder = Folder::new();
    let file = numbers(&folder);
    let run = twice(&folder);
    let first_two = |run: &dyn Fn(&[&str]) -> Done| {
        let listed = run(&["adapters", "--json"]).json();
        (0..2).all(|number| listed["adapters"][number]["backend"] == "vulkan")
    };
    let Some(run) = run.filter(|run| first_two(run)) else {
        return tell("skipped: no driver that can be there twice (lavapipe)");
    };
    let operators = "sum,argmax,min,stats";
    let on = |adapter: &str| run(&[operators, "--json", "--adapter", adapter, &file]).json();
    let cpu = on("cpu");
    // On a busy machine one may have done it all before the other one begins.
    let shared = (0..20).map(|_| on("0,1")).find(|both| {
        assert_eq!(both["answers"], cpu["answers"]);
        both["shares"].is_array()
    });
    let both = shared.expect("both take part");
    assert_eq!((both["backend"].as_str(), &cpu["shares"]), (Some("team"), &serde_json::Value::Null), "{both}");
    let shares = both["shares"].as_array().unwrap();
    let elements: u64 = shares.iter().map(|share| share["elements"].as_u64().unwrap()).sum();
    // All four go through them together.
    assert_eq!((shares.len(), elements), (2, 3_000_000), "{both}");
    let mut told = (0..20).map(|_| run(&["sum", "--adapter", "0,1", &file]));
    assert!(told.any(|told| told.text().contains(" #2 (")));
    // What rounds on the way is not shared.
    let fast = |adapter: &str| run(&["sum", "--fast", "--json", "--adapter", adapter, &file]).json();
    let (both, first) = (fast("0,1"), fast("0"));
    assert_eq!((&both["bits"], &both["backend"]), (&first["bits"], &first["backend"]));
    for (axis, name) in [("0", "rows"), ("1", "columns")] {
        let (rows, other) = (folder.path().join(name), folder.path().join(format!("{name}2")));
        let table = folder.f32("m.npy", &[1.5; 12]);
        let axes = |adapter: &str, output: &std::path::Path| {
            let output = output.display().to_string();
            let args = ["sum", "--rows", "4", "--adapter", adapter, "--force", "--output", &output, &table];
            assert_eq!(run(&args).status, 0, "{axis}");
        };
        axes("0,1", &rows.with_extension("npy"));
        axes("cpu", &other.with_extension("npy"));
        let read = |path: PathBuf| std::fs::read(path.with_extension("npy")).unwrap();
        assert_eq!(read(rows), read(other));
    }
    // Software is no hardware.
    assert_eq!(run(&["sum", "--json", "--adapter", "all", &file]).json()["backend"], "cpu");
    run(&["sum", "--adapter", "0,0", &file]).fails(1, &["0,0", "twice"]);
    run(&["sum", "--adapter", "0,7", &file]).fails(1, &["0,7", "there are: 0", "cpu"]);
    for command in ["explain", "ladder"] {
        let done = if command == "explain" {
            run(&["explain", "sum", "--adapter", "0,1"])
        } else {
            run(&["ladder", "--adapter", "all"])
        };
        done.fails(2, &["several adapters", "--adapter NAME|NUMBER"]);
    }
}

/// The engine where none is named says what it is.
#[test]
fn auto_is_the_cpu_where_little_is_left() {
    let folder = Folder::new();
    let file = numbers(&folder);
    let auto = run_where("auto", ["sum", "--json", &file]).json();
    assert_eq!((auto["backend"].as_str(), &auto["shares"]), (Some("cpu"), &serde_json::Value::Null), "{auto}");
    assert_eq!(auto["bits"], run_where("cpu", ["sum", "--json", &file]).json()["bits"]);
    let told = run_where("auto", ["sum", &file]);
    assert!(told.text().contains("on cpu ("), "{told:?}");
}
