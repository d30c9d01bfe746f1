//! Help texts, the list of adapters, sizes, logs.

use crate::common::*;
use serde_json::Value;

#[test]
fn help_lists_every_operator() {
    let done = run(["--help"]);
    for name in operators().into_iter().chain(["merge", "adapters", "explain", "ladder"]) {
        let mut lines = done.text().lines().filter(|line| line.trim_start().starts_with(&format!("- {name}:")));
        let (line, again) = (lines.next(), lines.next());
        assert_eq!(again, None, "{name} twice");
        let meaning = line.and_then(|line| line.split_once(':')).map_or("", |(_, meaning)| meaning.trim());
        assert!(meaning.len() > 10 && !meaning.contains("documentation"), "{name}: {meaning:?}");
        assert!(run(["-h"]).text().contains(name));
    }
    assert!(!done.text().contains("fast_"));
    for (option, _) in treefold::ops::TABLE.iter().flat_map(|entry| entry.options) {
        let flag = option.replace('_', "-");
        assert!(done.text().contains(&format!("--{flag} <VALUE>")), "{option}");
    }
    assert!(run(["--version"]).text().starts_with("treefold "));
}

#[test]
fn help_of_a_word_begins_with_it() {
    for word in ["bench", "explain", "ladder", "tune"] {
        let help = program().args([word, "--help"]).output().unwrap();
        let usage = format!("Usage: treefold {word} [OPTIONS]");
        assert!(String::from_utf8_lossy(&help.stdout).contains(&usage), "{word}: {help:?}");
    }
}

#[test]
fn adapters_are_listed() {
    let table = run(["adapters"]);
    assert!(table.text().contains("cpu") && table.out.contains("treefold uses"), "{}", table.out);
    let json = run(["adapters", "--json"]).json();
    let list = json["adapters"].as_array().unwrap();
    assert_eq!(list.last().unwrap()["adapter"], "cpu");
    assert_eq!(list.iter().filter(|adapter| adapter["default"] == true).count(), 1);
    for adapter in list {
        assert!(adapter["name"].is_string() && adapter["uses"].is_object(), "{adapter}");
    }
}

/// What is not shared between engines is a GPU's, or the CPU engine's, never software's or OpenGL's; by no name, by its name, and whatever
/// the environment names beside it. What is small, and what is shared and soon done, is the CPU engine's.
#[test]
fn the_default_is_hardware_or_the_cpu_engine() {
    let folder = Folder::new();
    let file = folder.i32("x.npy", &[1, 2]);
    let with = |variable: Option<&str>, args: &[&str]| {
        let mut command = program();
        command.args(args).env_remove("WGPU_ADAPTER_NAME").env_remove("WGPU_BACKEND");
        command.envs(variable.map(|name| ("WGPU_ADAPTER_NAME", name)));
        finish(command, b"")
    };
    let listed = with(None, &["adapters", "--json"]).json();
    let listed = listed["adapters"].as_array().unwrap();
    let default = listed.iter().find(|adapter| adapter["default"] == true).unwrap();
    assert!(default["type"] != "software" && default["backend"] != "gl", "{default}");
    let hardware =
        |adapter: &&Value| adapter["type"] != "software" && adapter["type"] != "cpu" && adapter["backend"] != "gl";
    assert_eq!(default["adapter"] == "cpu", !listed.iter().any(|adapter| hardware(&adapter)));
    let large = folder.path().join("large.bin");
    std::fs::File::create(&large).and_then(|file| file.set_len(257 << 20)).unwrap();
    let large = large.display().to_string();
    let sum = ["sum", "--fast", "--json", "--dtype", "f32", &large];
    let auto = ["sum", "--fast", "--json", "--dtype", "f32", "--adapter", "auto", &large];
    for (variable, args) in [
        (None, &sum[..]),
        (Some("auto"), &sum),
        (None, &auto),
        (Some("cpu"), &auto),
        (Some("nowhere"), &auto),
        (Some("0"), &auto),
    ] {
        let done = with(variable, args);
        assert_eq!(done.json()["backend"], default["backend"], "{variable:?} {args:?}");
        assert_eq!(done.err, "", "{variable:?} {args:?}");
    }
    let max = ["max", "--json", "--dtype", "f32", &large];
    for args in [&["sum", "--json", &file][..], &["sum", "--json", "--adapter", "auto", &file], &max] {
        assert_eq!(with(None, args).json()["backend"], "cpu", "{args:?}");
    }
    let first = &listed[0];
    if first["adapter"] == 0 {
        let backend = |variable, args: &[&str]| with(variable, args).json()["backend"].clone();
        assert_eq!(backend(Some("0"), &sum), first["backend"]);
        assert_eq!(backend(Some("cpu"), &["sum", "--json", "--adapter", "0", &file]), first["backend"]);
        // Commands that need kernels take the adapter that there is.
        let name = first["name"].as_str().unwrap();
        for args in [&["explain", "max"][..], &["explain", "max", "--adapter", "auto"]] {
            assert!(first["backend"] == "gl" || with(None, args).text().contains(name), "{args:?}");
        }
        let told = with(None, &["logsumexp", "-q", "-v", "--dtype", "f32", &large]).err;
        let passed_over = default["adapter"] == "cpu" && first["backend"] != "gl";
        let says = told.contains(name) && told.contains("software") && told.contains("the CPU engine computes");
        assert_eq!(says, passed_over, "{told}");
    } else {
        tell("skipped: there is no adapter to pass over");
    }
}

#[test]
fn memory_sizes() {
    let folder = Folder::new();
    let file = folder.i32("x.npy", &[1, 2]);
    for size in ["1MiB", "1048576", "64M", "64MB", "1G", "1GiB", "1.5GiB", "2m"] {
        assert_eq!(run(["sum", "-q", "--memory", size, &file]).text(), "3", "{size}");
    }
    for (size, phrase) in [("1K", "at least 1MiB"), ("0", "at least"), ("much", "512MiB"), ("-1", "--memory"), ("", "")]
    {
        run(["sum", &format!("--memory={size}"), &file]).fails(2, &["--memory", phrase]);
    }
}

#[test]
fn verbose_explains_on_standard_error() {
    let folder = Folder::new();
    let file = folder.i32("x.npy", &[1, 2]);
    let done = run(["sum", "-v", "-q", &file]);
    assert_eq!(done.text(), "3");
    assert!(done.err.contains("windows of"), "{}", done.err);
    assert_eq!(run(["sum", "-q", &file]).err, "");
}

/// Without a desktop session too, a tool that does well does not speak of errors: whatever is the default, and where an adapter is opened.
#[test]
fn no_errors_are_spoken_of_when_all_is_well() {
    for adapter in [&[][..], &["--adapter", &adapter()]] {
        let mut command = program();
        command.args(["sum", "--quiet", "--dtype", "u32"]).args(adapter).env_remove("XDG_RUNTIME_DIR");
        let done = finish(command, &[2, 0, 0, 0, 3, 0, 0, 0]);
        assert_eq!((done.status, done.out.as_str()), (0, "5\n"), "{adapter:?}");
        assert!(!done.err.contains("error"), "{}", done.err);
    }
}
