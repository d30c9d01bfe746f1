//! Help texts, the list of adapters, sizes, logs.

mod common;
use common::*;

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
        assert!(done.text().contains(&format!("--{option} <VALUE>")), "{option}");
    }
    assert!(run(["--version"]).text().starts_with("treefold "));
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

/// Whatever adapter is the default: without a desktop session too, a tool that does well does not speak of errors.
#[test]
fn no_errors_are_spoken_of_when_all_is_well() {
    let mut command = program();
    command.args(["sum", "--quiet", "--dtype", "u32"]).env_remove("XDG_RUNTIME_DIR");
    let done = finish(command, &[2, 0, 0, 0, 3, 0, 0, 0]);
    assert_eq!((done.status, done.out.as_str()), (0, "5\n"));
    assert!(!done.err.contains("error"), "{}", done.err);
}
