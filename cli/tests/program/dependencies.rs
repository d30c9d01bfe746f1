//! Uses among modules: no cycle in the program, and one direction in the library. No two types of either have one name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The library's modules: each uses those before it only.
const ORDER: [&str; 12] =
    ["error", "limits", "element", "exact", "op", "ops", "input", "plan", "shader", "device", "run", "ladder"];

/// A source file, by its path under the folder of sources.
struct File {
    path: String,
    text: String,
}

impl File {
    fn new(path: &str, text: &str) -> File {
        let lines = text.lines().map(|line| if line.trim_start().starts_with("//") { "" } else { line });
        File { path: path.into(), text: lines.collect::<Vec<_>>().join("\n") }
    }

    /// The file or folder under the sources.
    fn module(&self) -> &str {
        self.path.split('/').next().unwrap_or_default().trim_end_matches(".rs")
    }

    /// The first name of each path behind `crate::`, with the line it stands on.
    fn names(&self) -> Vec<(String, usize)> {
        let mut names = vec![];
        for (at, found) in self.text.match_indices("crate::") {
            let rest = &self.text[at + found.len()..];
            for (behind, name) in first_names(rest) {
                let line = self.text[..at + found.len() + behind].lines().count();
                names.push((name, line));
            }
        }
        names
    }
}

/// A word, or the first word of each path in a list within braces; with its place in the text.
fn first_names(text: &str) -> Vec<(usize, String)> {
    let word = |at: usize| {
        let rest = &text[at..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        (end > 0).then(|| (at + end, rest[..end].to_string()))
    };
    if !text.starts_with('{') {
        return word(0).into_iter().collect();
    }
    let (mut depth, mut fresh, mut names) = (0, false, vec![]);
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ if fresh && !c.is_whitespace() => names.extend(word(at)),
            _ => (),
        }
        fresh = depth == 1 && (c == '{' || c == ',' || fresh && c.is_whitespace());
        if depth == 0 {
            break;
        }
    }
    names
}

fn files(root: &Path, under: &str, found: &mut Vec<File>) {
    for entry in std::fs::read_dir(root.join(under)).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("a name");
        let path = if under.is_empty() { name } else { format!("{under}/{name}") };
        if entry.path().is_dir() {
            files(root, &path, found);
        } else if path.ends_with(".rs") {
            found.push(File::new(&path, &std::fs::read_to_string(entry.path()).expect("a text")));
        }
    }
}

fn sources(folder: &str) -> Vec<File> {
    let mut found = vec![];
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), "", &mut found);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// Edges from module to module, each with a line that makes it. What is no module stands in the root.
fn edges(files: &[File], root: &str) -> BTreeMap<(String, String), String> {
    let modules: BTreeSet<&str> = files.iter().map(File::module).collect();
    let mut edges = BTreeMap::new();
    for file in files {
        for (name, line) in file.names() {
            let to = if modules.contains(name.as_str()) { name } else { root.into() };
            if to != file.module() {
                edges.entry((file.module().to_string(), to)).or_insert(format!("{}:{line}", file.path));
            }
        }
    }
    for module in modules.into_iter().filter(|&module| module != root) {
        edges.entry((root.into(), module.into())).or_insert(format!("{root}.rs declares {module}"));
    }
    edges
}

/// The lines of a cycle, if there is one.
fn cycle(edges: &BTreeMap<(String, String), String>) -> Option<Vec<String>> {
    // Modules whose dependencies are all known to be free of cycles.
    let mut free: BTreeSet<&str> = BTreeSet::new();
    let modules: BTreeSet<&str> = edges.keys().flat_map(|(from, to)| [from.as_str(), to.as_str()]).collect();
    let onward = |module: &str, free: &BTreeSet<&str>| {
        edges.keys().find(|(from, to)| from == module && !free.contains(to.as_str())).map(|(_, to)| to.as_str())
    };
    while let Some(&more) = modules.iter().find(|&&module| !free.contains(module) && onward(module, &free).is_none()) {
        free.insert(more);
    }
    let mut walk = vec![*modules.iter().find(|&&module| !free.contains(module))?];
    loop {
        let next = onward(walk[walk.len() - 1], &free)?;
        if let Some(at) = walk.iter().position(|&module| module == next) {
            let ring = walk[at..].iter().zip(walk[at + 1..].iter().chain([&next]));
            return Some(
                ring.map(|(from, to)| format!("{from} uses {to}: {}", edges[&(from.to_string(), to.to_string())]))
                    .collect(),
            );
        }
        walk.push(next);
    }
}

/// The modules behind the names in the library's root; those of other crates have none.
fn exports(files: &[File]) -> BTreeMap<String, Option<String>> {
    let mut exports: BTreeMap<String, Option<String>> = BTreeMap::new();
    let root = files.iter().find(|file| file.path == "lib.rs").map_or("", |file| &file.text);
    for (at, found) in root.match_indices("\npub use ") {
        let item = root[at + found.len()..].split(';').next().unwrap_or_default();
        match item.split_once("::") {
            Some((module, names)) => {
                for (_, name) in first_names(names.trim()) {
                    exports.insert(name, Some(module.into()));
                }
            }
            None => drop(exports.insert(item.into(), None)),
        }
    }
    for file in files {
        for (at, found) in file.text.match_indices("#[macro_export]\nmacro_rules! ") {
            for (_, name) in first_names(&file.text[at + found.len()..]) {
                exports.insert(name, Some(file.module().into()));
            }
        }
    }
    exports
}

/// The lines that use what stands further down the list, or what nobody knows.
fn upward(files: &[File]) -> Vec<String> {
    let exports = exports(files);
    let place = |module: &str| ORDER.iter().position(|&known| known == module);
    let mut found = vec![];
    for file in files.iter().filter(|file| file.path != "lib.rs") {
        let here = place(file.module());
        for (name, line) in file.names() {
            let to = match exports.get(&name) {
                _ if place(&name).is_some() => name.clone(),
                Some(Some(module)) => module.clone(),
                Some(None) => continue,
                None => name.clone(),
            };
            if here.is_none() || place(&to).is_none_or(|there| Some(there) > here) {
                let by = if to == name { String::new() } else { format!(" (by {name})") };
                found.push(format!("{}:{line}: {} uses {to}{by}", file.path, file.module()));
            }
        }
    }
    found
}

#[test]
fn the_program_has_no_cycle() {
    let found = cycle(&edges(&sources("src"), "main"));
    assert_eq!(found, None);
}

#[test]
fn the_library_goes_one_way() {
    let found = upward(&sources("../src"));
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Names that two types have, with the lines that declare them. A type that one kind of machine has otherwise than another is
/// declared twice, behind a `#[cfg]` or in files that are.
fn doubles(files: &[File]) -> Vec<String> {
    let of_machines = |line: &str| {
        line.starts_with("#[cfg(") && ["target_", "unix", "windows"].iter().any(|word| line.contains(word))
    };
    let mut declared: BTreeMap<String, Vec<(String, bool)>> = BTreeMap::new();
    for File { path, text } in files {
        let (folder, stem) =
            path.trim_end_matches(".rs").rsplit_once('/').unwrap_or(("", path.trim_end_matches(".rs")));
        let parents = [format!("{folder}/mod.rs"), format!("{folder}.rs")];
        let parents = files.iter().filter(|file| match folder {
            "" => ["main.rs", "lib.rs"].contains(&file.path.as_str()),
            _ => parents.contains(&file.path),
        });
        let module = format!("mod {stem};");
        let mut heads = parents.flat_map(|file| file.text.lines().zip(file.text.lines().skip(1)));
        let file_is_chosen = heads.any(|(cfg, line)| of_machines(cfg) && line.ends_with(&module));
        let lines: Vec<_> = text.lines().collect();
        let (mut in_tests, mut outer) = (false, "");
        for (at, line) in lines.iter().enumerate() {
            in_tests |=
                line.starts_with("#[cfg(test)]") && lines.get(at + 1).is_some_and(|next| next.starts_with("mod "));
            outer = if line.starts_with([' ', '}']) || line.is_empty() { outer } else { line };
            let words: Vec<_> = line.split_whitespace().skip_while(|word| word.starts_with("pub")).collect();
            let ["struct" | "enum" | "trait" | "union" | "type", name, ..] = words[..] else { continue };
            // Types of a trait are indented, those of a macro's rules too; accumulators are declared within one.
            let within = line.starts_with(' ') && !outer.starts_with("accumulator!");
            let in_wgsl = line.contains("{{");
            if in_tests || in_wgsl || within {
                continue;
            }
            let name = first_names(name).into_iter().map(|(_, name)| name).collect();
            let chosen = file_is_chosen
                || lines[..at].iter().rev().take_while(|line| !line.is_empty()).any(|line| of_machines(line));
            declared.entry(name).or_default().push((format!("{path}:{}", at + 1), chosen));
        }
    }
    let twice = declared.into_iter().filter(|(_, at)| {
        at.iter().filter(|(_, chosen)| !chosen).count() + usize::from(at.iter().any(|(_, chosen)| *chosen)) > 1
    });
    twice
        .map(|(name, at)| format!("{name}: {}", at.into_iter().map(|(at, _)| at).collect::<Vec<_>>().join(", ")))
        .collect()
}

#[test]
fn no_two_types_have_one_name() {
    for folder in ["src", "../src"] {
        let doubles = doubles(&sources(folder));
        assert!(doubles.is_empty(), "{folder}: give each type a name of its own:\n{}", doubles.join("\n"));
    }
}

#[test]
fn doubles_are_found() {
    let file = |path, text| File::new(path, text);
    let files = [
        file("a.rs", "pub struct One<T>(T);\n/// Two\npub(crate) enum Two {\n}\n"),
        file("b.rs", "trait One {\n    type Two;\n}\n#[cfg(test)]\nmod tests {\nstruct Two;\n}\n"),
        file("c.rs", "#[cfg(unix)]\ntype Three = u32;\n\n#[cfg(not(unix))]\n#[derive(Debug)]\nstruct Three;\n"),
        file("d.rs", "type Four = u32;\n\n#[cfg(not(unix))]\nstruct Four;\n"),
        file(
            "e/mod.rs",
            "#[cfg(unix)]\nmod f;\n#[cfg(feature = \"g\")]\nmod g;\nstruct Six;\naccumulator! {\n    pub struct Five {\n    }\n}\n",
        ),
        file("e/f.rs", "struct Seven;\n"),
        file("f.rs", "struct Six;\n"),
        file("e/g.rs", "struct Five;\nstruct Eight;\n"),
        file("g.rs", "#[cfg(feature = \"g\")]\nstruct Eight;\n#[cfg(windows)]\nstruct Seven;\n"),
    ];
    let found = doubles(&files);
    let wanted = [
        "Eight: e/g.rs:2, g.rs:2",
        "Five: e/mod.rs:7, e/g.rs:1",
        "Four: d.rs:1, d.rs:4",
        "One: a.rs:1, b.rs:1",
        "Six: e/mod.rs:5, f.rs:1",
    ];
    assert_eq!(found, wanted);
}

/// A new operator is a file of the library: the program's code names none. The ladder's are of its own.
#[test]
fn the_program_names_no_operator() {
    // An option may have an operator's name; a table says that there is nothing, and a report how many elements there are.
    let is_other = |name: &str| {
        let mut options = treefold::ops::TABLE.iter().flat_map(|entry| entry.options);
        name == "none" || name == "count" || options.any(|&(option, _)| option == name)
    };
    for file in sources("src").iter().filter(|file| file.module() != "ladder") {
        let code = file.text.split("#[cfg(test)]").next().unwrap_or_default();
        for name in treefold::ops::names().into_iter().filter(|name| !is_other(name)) {
            assert!(!code.contains(&format!("\"{name}\"")), "{}: \"{name}\"", file.path);
        }
    }
}

#[test]
fn cycles_are_found() {
    let file = File::new;
    let mut files =
        vec![file("main.rs", "mod a;"), file("a.rs", "use crate::b::X;"), file("b/mod.rs", "\n// crate::a\nfn f() {}")];
    assert_eq!(cycle(&edges(&files, "main")), None);
    files.push(file("b/c.rs", "use std::fmt;\nuse crate::{\n    d,\n    a::{Y, Z},\n};"));
    files.push(file("d.rs", ""));
    let found = cycle(&edges(&files, "main")).expect("a cycle");
    assert_eq!(found, ["a uses b: a.rs:1", "b uses a: b/c.rs:4"]);
    // Code in the root makes one too.
    let files = [file("main.rs", ""), file("a.rs", "crate::print();")];
    assert!(cycle(&edges(&files, "main")).is_some_and(|found| found.contains(&"a uses main: a.rs:1".to_string())));
}

#[test]
fn edges_upward_are_found() {
    let root = "mod run;\npub use half;\npub use op::{Op, Fold};\npub use run::Engine;\n";
    let with = |path: &str, text: &str| {
        let accumulator = "#[macro_export]\nmacro_rules! accumulator {}";
        upward(&[File::new("lib.rs", root), File::new("op/mod.rs", accumulator), File::new(path, text)])
    };
    let good = "use crate::op::Op;\nuse crate::half::f16;\nuse crate::{Fold, Op, accumulator, plan};\n";
    assert_eq!(with("plan/rows.rs", good), [""; 0]);
    assert_eq!(with("plan/rows.rs", "\nuse crate::run::Cpu;"), ["plan/rows.rs:2: plan uses run"]);
    assert_eq!(with("exact.rs", "use crate::{\n    Fold,\n    half,\n};"), ["exact.rs:2: exact uses op (by Fold)"]);
    assert_eq!(with("exact.rs", "$crate::accumulator! {}"), ["exact.rs:1: exact uses op (by accumulator)"]);
    assert_eq!(with("device/gpu.rs", "fn f(e: crate::Engine) {}"), ["device/gpu.rs:1: device uses run (by Engine)"]);
    assert_eq!(with("stray.rs", "use crate::op::Op;"), ["stray.rs:1: stray uses op"]);
    assert_eq!(with("ops/sum.rs", "use crate::stray::X;"), ["ops/sum.rs:1: ops uses stray"]);
}
