//! Every command of the README, run as it stands there, with what it prints.

use std::path::PathBuf;
use std::process::Command;

/// A command, the lines that it prints, and its exit status.
struct Example {
    command: String,
    lines: Vec<String>,
    status: i32,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn examples(readme: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut inside = false;
    for line in readme.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            examples.push(Example { command: command.into(), lines: Vec::new(), status: 0 });
        } else if inside {
            let example = examples.last_mut().expect("a command before its output");
            match line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).map(str::parse) {
                Some(Ok(status)) => example.status = status,
                _ => example.lines.push(line.into()),
            }
        }
    }
    examples
}

/// A line matches itself, and one that ends in `…` whatever begins like it; `…` alone stands for any lines.
fn matches(got: &[&str], want: &[String]) -> bool {
    match (got.split_first(), want.split_first()) {
        (_, None) => got.is_empty(),
        (first, Some((line, rest))) if line == "…" => {
            matches(got, rest) || first.is_some_and(|(_, later)| matches(later, want))
        }
        (None, Some(_)) => false,
        (Some((first, later)), Some((line, rest))) => {
            let same = line.strip_suffix('…').map_or(*first == line, |start| first.starts_with(start));
            same && matches(later, rest)
        }
    }
}

/// A folder with the examples' data, in which commands may leave files.
fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a folder");
    let [from, to] = [&root(), place.path()].map(|folder: &std::path::Path| folder.join("examples/data"));
    std::fs::create_dir_all(&to).expect("a folder");
    for file in std::fs::read_dir(from).expect("the data") {
        let file = file.expect("a file");
        std::fs::copy(file.path(), to.join(file.file_name())).expect("a copy");
    }
    place
}

/// Whether a command has an operator that no device computes over f32, which the examples' data are of.
fn on_the_host_alone(command: &str) -> bool {
    let alone = |entry: &&treefold::ops::Entry| entry.dtype == treefold::Dtype::F32 && entry.host_only.is_some();
    treefold::ops::TABLE.iter().filter(alone).any(|entry| command.split_whitespace().any(|word| word == entry.name))
}

#[test]
fn every_command_prints_what_the_readme_says() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("the README");
    let examples = examples(&readme);
    assert!(examples.len() >= 8, "only {} commands found", examples.len());
    let program = PathBuf::from(env!("CARGO_BIN_EXE_treefold"));
    let folder = program.parent().expect("a folder").to_string_lossy().into_owned();
    let place = place();
    for example in examples {
        // The adapter that the tests name, where they name one, but for what the CPU engine alone computes.
        let named = std::env::var("TREEFOLD_TEST_ADAPTER").ok().filter(|_| !on_the_host_alone(&example.command));
        let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
        // Messages and answers in one stream, as a person sees them.
        let output = Command::new("sh")
            .args(["-c", &format!("exec 2>&1; {}", example.command)])
            .current_dir(place.path())
            .env("PATH", path)
            .env_remove("RUST_LOG")
            .env("XDG_RUNTIME_DIR", std::env::temp_dir())
            .envs(named.map(|name| ("WGPU_ADAPTER_NAME", name)))
            .output()
            .expect("a shell");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(output.status.code(), Some(example.status), "{}: {text}", example.command);
        assert!(matches(&lines, &example.lines), "{}:\n{text}\nwanted:\n{}", example.command, example.lines.join("\n"));
    }
}

#[test]
fn matching_can_fail() {
    let want = ["a…".to_string(), "…".into(), "z".into()];
    assert!(matches(&["ab", "x", "y", "z"], &want) && matches(&["a", "z"], &want));
    assert!(!matches(&["b", "z"], &want) && !matches(&["ab", "y"], &want) && !matches(&[], &want));
}
