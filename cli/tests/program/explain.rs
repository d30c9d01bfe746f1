//! `treefold explain`: the plan in words, and the texts of the passes, here and as a browser has them.

use crate::common::*;

/// Explains on the best adapter: the CPU engine has no kernels.
fn explain(args: &[&str]) -> Done {
    let mut command = program();
    command.arg("explain").args(args);
    finish(command, b"")
}

/// The code of a kernel's text: its lines without comments.
fn code(text: &str) -> Vec<&str> {
    text.lines()
        .map(|line| line.split("//").next().unwrap_or_default().trim())
        .filter(|line| !line.is_empty())
        .collect()
}

/// Every operator over a type that devices reduce, and sums over all others.
fn cases() -> Vec<[&'static str; 2]> {
    let takes = |name: &str, dtypes: &[&str]| {
        let mut entries = treefold::ops::TABLE.iter().filter(|entry| entry.fast_form_of.unwrap_or(entry.name) == name);
        entries.any(|entry| dtypes.contains(&entry.dtype.name()) && entry.host_only.is_none())
    };
    let each = operators().into_iter().filter_map(|name| match () {
        () if takes(name, &["f32", "f32x2"]) => Some([name, "f32"]),
        () => takes(name, &["i32"]).then_some([name, "i32"]),
    });
    let sums = ["i32", "u32", "f16", "f64", "i64", "u64"].map(|dtype| ["sum", dtype]);
    let best = [["top", "f32"], ["bottom", "f32"]];
    each.chain(sums).chain([["variance", "i32"], ["stats", "u32"]]).chain(best).collect()
}

#[test]
fn only_a_pass_begins_with_its_line() {
    for [name, dtype] in cases() {
        for web in [&[][..], &["--web"]] {
            let done = explain(&[&[name, "--dtype", dtype, "--wgsl"], web].concat());
            let lines: Vec<&str> = done.text().lines().collect();
            let first = if ["top", "bottom"].contains(&name) { "top/tiles.wgsl" } else { "reduce.wgsl" };
            assert!(lines[0].starts_with(&format!("// pass 1: {first}, ")), "{name} {dtype}: {}", lines[0]);
            let begins = |line: &&&str| ["// pass", "// kernel", "// =="].iter().any(|start| line.starts_with(start));
            let headings: Vec<_> = lines.iter().filter(begins).collect();
            for (number, heading) in headings.iter().enumerate() {
                let words: Vec<&str> = heading.split([' ', ',']).collect();
                assert_eq!(words[..3], ["//", "pass", &format!("{}:", number + 1)], "{name} {dtype}");
                assert!(words[3].ends_with(".wgsl") && heading.contains(" workgroup"), "{name} {dtype}: {heading}");
            }
            assert!(headings.len() > 1, "{name} {dtype}: {headings:?}");
            if !web.is_empty() {
                is_for_a_browser(&format!("{name} {dtype}"), done.text());
            }
        }
    }
}

/// A browser has no subgroups, no types of 64 bits and no float atomics, and workgroups of 256 at most.
fn is_for_a_browser(what: &str, text: &str) {
    for line in code(text) {
        let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        let has_not =
            |word: &&str| ["enable", "requires", "u64", "i64", "f64"].contains(word) || word.starts_with("subgroup");
        assert_eq!(words.into_iter().find(has_not), None, "{what}: {line}");
        assert!(!line.contains("atomic<f32>"), "{what}: {line}");
    }
    let heading = text.lines().next().unwrap_or_default();
    let size = heading.rsplit(' ').next().and_then(|size| size.parse::<u32>().ok());
    assert!(size.is_some_and(|size| size <= 256), "{what}: {heading}");
}

#[test]
fn what_a_browser_has_not_is_noticed() {
    let text =
        |line: &str| format!("// pass 1: reduce.wgsl, 2 workgroups of 256\n{line} // subgroupAdd in a comment\n");
    is_for_a_browser("good", &text("let x = 1u;"));
    for line in ["enable f16;", "let x = subgroupAdd(1u);", "var<private> x: array<u64, 2>;", "var x: atomic<f32>;"] {
        assert!(std::panic::catch_unwind(|| is_for_a_browser("bad", &text(line))).is_err(), "{line}");
    }
}

#[test]
fn the_plan_is_told_in_words() {
    let done = explain(&["max"]);
    let first = done.text().lines().next().unwrap();
    assert!(first.starts_with("max over f32 on "), "{first}");
    for phrase in ["16777216 elements, 2 dispatches", "\n// pass 1: reduce.wgsl, ", "\n// pass 2: combine.wgsl, 1 "] {
        assert!(done.text().contains(phrase), "{phrase}: {}", done.out);
    }
    assert!(explain(&["max", "--web"]).text().contains("as in a browser"));
    for (size, elements) in [("1000", "1000 elements"), ("2^20", "1048576 elements"), ("16M", "16777216 elements")] {
        assert!(explain(&["max", "--size", size]).text().contains(elements), "{size}");
    }
    // Those of one workgroup need one pass.
    let small = explain(&["max", "--size", "1000", "--wgsl"]);
    assert!(!small.text().contains("// pass 2"), "{}", small.out);
    assert!(explain(&["sum", "--fast"]).text().starts_with("fast_sum over f32"));
    assert!(explain(&["variance"]).text().starts_with("variance over f32"));
    assert!(explain(&["variance", "--fast"]).text().starts_with("fast_variance over f32"));
}

#[test]
fn options_of_operators_show() {
    let counters = |args: &[&str]| {
        let done = explain(&[args, &["--wgsl"]].concat());
        let line = done.text().lines().find(|line| line.contains("SLOTS = ")).map(String::from);
        line.unwrap_or_else(|| panic!("no counters in {}", done.out))
    };
    assert!(counters(&["histogram"]).contains("SLOTS = 259u"));
    assert!(counters(&["histogram", "--bins", "64", "--range", "-1:1"]).contains("SLOTS = 67u"));
    assert!(counters(&["histogram(bins=64,range=-1:1)"]).contains("SLOTS = 67u"));
}

#[test]
fn narrow_types_are_explained_as_they_are_stored() {
    for (name, dtype, form) in [
        ("argmax", "u8", "fn best_of_bytes("),
        ("min", "bf16", "fn least_of("),
        ("sum", "i8", "fn sum_of_bytes("),
        ("count", "i16", "fn part_of("),
        ("norm2", "u16", "fn part_of("),
    ] {
        let done = explain(&[name, "--dtype", dtype]);
        let text = done.text();
        assert!(text.starts_with(&format!("{name} over {dtype} on ")) && text.contains(form), "{text}");
    }
    explain(&["top", "--dtype", "u8"]).fails(2, &["top over u8 has no kernel to explain"]);
    explain(&["and", "--dtype", "bf16"]).fails(2, &["and takes no f32", "i32, u32"]);
    explain(&["dot", "--dtype", "i8"]).fails(2, &["dot makes pairs of i32, which i8 are not", "--dtype i32"]);
}

/// Operators as other commands take them: in a list, with options in parentheses; their passes are in one count. Those that may share elements have
/// passes together.
#[test]
fn lists_are_explained() {
    let done = explain(&["mean,std(ddof=1),top(3)"]);
    let heads = ["3 operators on ", "mean, std over f32", "top over f32"];
    let found: Vec<&str> = done.text().lines().filter(|line| heads.iter().any(|head| line.starts_with(head))).collect();
    assert_eq!(found.len(), heads.len(), "{found:?}");
    assert!(found[0].contains("read once: "), "{found:?}");
    let passes: Vec<&str> = done.text().lines().filter(|line| line.starts_with("// pass ")).collect();
    for (number, line) in passes.iter().enumerate() {
        assert!(line.starts_with(&format!("// pass {}: ", number + 1)), "{passes:?}");
    }
    assert!(found[0].ends_with(&format!(": {} passes", passes.len())) && passes.len() > 5, "{found:?} {passes:?}");
    assert!(done.text().contains("writes the 3 best"), "{}", done.text());
    for (list, dtype, heads) in [
        ("min,entropy,mean,sum", "f16", &["min, mean, sum over f16", "entropy over f32"][..]),
        ("min,argmax,hash", "i8", &["min, argmax over i8", "hash over i8"]),
        ("max,logsumexp", "f32", &["max over f32", "logsumexp over f32"]),
    ] {
        let done = explain(&[list, "--dtype", dtype]);
        let found: Vec<&str> = done.text().lines().filter(|line| line.ends_with(&format!(" over {dtype}"))).collect();
        let own = heads.iter().filter(|head| head.ends_with(dtype)).copied().collect::<Vec<_>>();
        assert_eq!(found, own, "{list}");
        assert!(heads.iter().all(|head| done.text().lines().any(|line| line == *head)), "{list}: {}", done.text());
    }
    // As long as each other where they are too many for one.
    let many = explain(&["all,any,none,count,sum,min,max"]);
    for head in ["all, any, none, count over f32", "sum, min, max over f32"] {
        assert!(many.text().lines().any(|line| line == head), "{head}: {}", many.text());
    }
    let best = explain(&["top(100)", "--dtype", "i64", "--size", "1000"]);
    for phrase in ["1000 elements, 3 dispatches in all", "reads bytes 0..8000 of buffer 0", "reads 1000 candidates"] {
        assert!(best.text().contains(phrase), "{phrase}: {}", best.text());
    }
    explain(&["sum,summ"]).fails(2, &["'summ'", "'sum'"]);
    explain(&["sum,max,sum"]).fails(2, &["sum stands twice"]);
    explain(&["sum,reduce"]).fails(2, &["reduce is no operator, and stands alone"]);
    explain(&["dot,sum"]).fails(2, &["dot takes two inputs as pairs, which sum does not"]);
    explain(&["sum(3)"]).fails(2, &["sum has no options of its own"]);
    explain(&["std(ddof=1"]).fails(2, &["does not end with its parenthesis"]);
    explain(&["histogram(bins=x)"]).fails(2, &["--bins of histogram is \"x\""]);
    explain(&["sum,entropy", "--dtype", "f64"]).fails(2, &["entropy over f64 has no kernel to explain"]);
    explain(&["top", "--map", "abs(x)"]).fails(2, &["top over f32 has no kernel to explain"]);
}

#[test]
fn wrong_command_lines_say_what_is_right() {
    explain(&["sum", "--adapter", "cpu"]).fails(2, &["--adapter cpu has no kernels"]);
    explain(&["sum", "--adapter", "nowhere"]).fails(1, &["nowhere", "--adapter"]);
    explain(&["summ"]).fails(2, &["'summ'", "'sum'"]);
    explain(&[]).fails(2, &["<OPERATOR>", "treefold explain --help"]);
    explain(&["sum", "--size", "many"]).fails(2, &["2^20 or 16M"]);
    explain(&["sum", "--ddof", "1"]).fails(2, &["--ddof is for variance and std and sem and stats"]);
    explain(&["histogram", "--range", "x"]).fails(2, &["LOW:HIGH"]);
    explain(&["and"]).fails(2, &["and takes no f32", "i32, u32"]);
    explain(&["sum", "--dtype", "f32x2"]).fails(2, &["f32x2"]);
    let mut command = program();
    command.args(["--json", "explain"]);
    finish(command, b"").fails(2, &["explain comes first"]);
    assert!(explain(&["--help"]).text().contains("--web"));
}

#[test]
fn expressions_are_explained() {
    let done = explain(&["reduce", "--identity", "0", "--combine", "a + b", "--map", "x * x"]);
    for phrase in ["reduce by a + b of x * x over f32", "blocked order", "// pass 1: reduce.wgsl, "] {
        assert!(done.text().contains(phrase), "{phrase}: {}", done.text());
    }
    let free = explain(&["reduce", "--identity", "0", "--combine", "a + b", "--commutative", "--dtype", "i32"]);
    assert!(free.text().starts_with("reduce by a + b over i32 on ") && !free.text().contains("not commutative"));
    explain(&["reduce", "--combine", "a + b"]).fails(2, &["reduce needs --identity"]);
    explain(&["max", "--combine", "a + b"]).fails(2, &["--combine is for reduce; max has none"]);
    explain(&["dot", "--map", "x * 2"]).fails(2, &["dot takes pairs"]);
}

#[test]
fn reasons_are_those_of_the_plan() {
    let few = explain(&["histogram", "--bins", "100000", "--size", "1000"]);
    assert!(few.text().contains("the counters of the first lie in the device's memory"), "{}", few.text());
    assert!(few.text().contains(", added to counters,") && !few.text().contains("more than"), "{}", few.text());
    explain(&["sum", "--size", "2^40"]).fails(1, &["1099511627776 elements leave ", "in parts"]);
    let web = explain(&["max", "--web"]);
    assert!(web.text().contains("no subgroup operations: the device has none"), "{}", web.text());
    let mut command = program();
    command.args(["explain", "sum"]).env("WGPU_ADAPTER_NAME", "cpu");
    finish(command, b"").fails(2, &["WGPU_ADAPTER_NAME=cpu has no kernels", "--adapter NAME|NUMBER"]);
}
