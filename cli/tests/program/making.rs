//! Numbers that `--map` makes, and `reduce`: against the same numbers made beforehand, on the CPU engine and on an adapter.

use crate::common::*;
use serde_json::{Value, json};

fn f64s(folder: &Folder, name: &str, numbers: &[f64]) -> String {
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    folder.file(name, &npy("'<f8'", false, &format!("({},)", numbers.len()), &bytes))
}

fn numbers() -> Vec<f32> {
    (0..5000).map(|at| ((at * 7919) % 1009) as f32 - 500.0).collect()
}

/// The bits of an answer, or what stands for them.
fn told(found: &Value) -> [&Value; 3] {
    ["value", "bits", "index"].map(|name| &found[name])
}

#[test]
fn operators_answer_as_over_what_is_made() {
    let folder = Folder::new();
    let all = numbers();
    let doubled: Vec<f32> = all.iter().map(|x| x.abs() * 2.0).collect();
    let (file, made) = (folder.f32("x.npy", &all), folder.f32("made.npy", &doubled));
    for name in ["sum", "mean", "std", "max", "argmax", "minmax", "count_nonzero", "stats", "norm2", "hash"] {
        let found = run([name, "--map", "abs(x) * 2", "--json", &file]).json();
        let want = run([name, "--json", &made]).json();
        assert_eq!(told(&found), told(&want), "{name}");
        assert_eq!((&found["map"], &found["dtype"], &want["map"]), (&json!("abs(x) * 2"), &json!("f32"), &Value::Null));
    }
    // A list reads once, and other types of answers follow what is made.
    let found = run(["sum,max,all", "--map", "x > 100 && x < 200", "--json", &file]).json();
    let count = all.iter().filter(|&&x| x > 100.0 && x < 200.0).count();
    let answers = &found["answers"];
    assert_eq!(
        (&answers["sum"]["value"], &answers["max"]["value"], &answers["all"]["value"]),
        (&json!(count), &json!(1), &json!(false))
    );
    assert_eq!(answers["sum"]["exact"], json!(true));
    let shown = run(["mean", "--map", "sqrt(abs(x))", &file]);
    let text = shown.text();
    assert!(text.contains("of each x: sqrt(abs(x))") && text.contains("is rounded"), "{text}");
    // By their places.
    assert_eq!(run(["max", "--map", "i", "-q", &file]).text(), "4999");
    // More places than i can tell, of a file without blocks; nothing is read.
    let long = folder.file("long.u8", &[]);
    std::fs::OpenOptions::new().write(true).open(&long).unwrap().set_len((1 << 32) + 1).unwrap();
    run(["max", "--map", "i", "--dtype", "u8", &long])
        .fails(1, &["4294967297 numbers have more places than i", "reduce parts"]);
    // By rows and groups.
    let found = run(["sum", "--rows", "1000", "--map", "x * 2", "--json", &file]).json();
    let sums: Vec<f32> = all.chunks(1000).map(|row| row.iter().map(|x| x * 2.0).sum()).collect();
    assert_eq!(found["value"], json!(sums));
    // Elements are left out before the map.
    assert_eq!(run(["max", "--map", "-x", "--where", "> 100", "-q", &file]).text(), "-101");
    let found = run(["histogram", "--map", "abs(x)", "--bins", "2", "--range", "0:600", "--json", &file]).json();
    let below = all.iter().filter(|x| x.abs() < 300.0).count();
    assert_eq!(found["value"]["bins"], json!([below, all.len() - below]));
}

/// As the README says.
#[test]
fn integers_wrap_in_their_bits() {
    let folder = Folder::new();
    let small = folder.file("u8.npy", &npy("'|u1'", false, "(3,)", &[3, 1, 2]));
    let large = folder.i32("i32.npy", &[46_341]);
    let sum = |made: &str, file: &str| run(["sum", "-q", "--map", made, file]).text().to_string();
    assert_eq!(sum("x - 4", &small), (3u64 * (1 << 32) - 6).to_string());
    assert_eq!(sum("i32(x) - 4", &small), "-6");
    assert_eq!(sum("x * x", &large), 46_341i32.wrapping_mul(46_341).to_string());
    assert_eq!(run(["sumsq", "-q", &large]).text(), (46_341u64 * 46_341).to_string());
}

#[test]
fn each_type_is_computed_as_itself() {
    let folder = Folder::new();
    let wide = f64s(&folder, "d.npy", &[1.0, 2.0, 4.0]);
    // The CPU alone computes in 64 bits.
    assert_eq!(run_where("auto", ["sum", "--map", "log2(x)", "-q", &wide]).text(), "3");
    assert_eq!(run_where("auto", ["sum", "--map", "f32(x) * 0.5", "-q", &wide]).text(), "3.5");
    let ints = folder.i32("i.npy", &[-7, 9, 20]);
    assert_eq!(run(["sum", "--map", "x % 4", "-q", &ints]).text(), "-2");
    assert_eq!(run(["mean", "--map", "f32(x) / 2", "-q", &ints]).text(), format!("{}", (-3.5f32 + 4.5 + 10.0) / 3.0));
    let bytes = folder.file("b.npy", &npy("'|u1'", false, "(3,)", &[1, 2, 255]));
    assert_eq!(run(["sum", "--map", "x * 1000", "-q", &bytes]).text(), "258000");
    let truths = folder.file("t.npy", &npy("'|b1'", false, "(3,)", &[1, 0, 1]));
    assert_eq!(run(["sum", "--map", "1 - i32(x)", "-q", &truths]).text(), "1");
    let halves = folder.file("h.npy", &npy("'<f2'", false, "(2,)", &[0x00, 0x3e, 0x00, 0x40]));
    assert_eq!(run(["sum", "--map", "x * 3", "-q", &halves]).text(), "10.5");
    run_where("0", ["sum", "--map", "log2(x)", &wide]).fails(1, &["64 bits", "--adapter cpu"]);
}

/// Elements that are found have the type that the map makes, also where that is another one than the input's.
#[test]
fn what_is_found_has_the_type_that_is_made() {
    let folder = Folder::new();
    let file = folder.f32("x.npy", &[1.5, -2.5, 7.0, 3.25]);
    let lists = adapter_for("top", "f32");
    let top = run_where(&lists, ["top", "--k", "2", "--map", "i32(x) * 10", "--json", &file]).json();
    assert_eq!((&top["value"], &top["index"]), (&json!([70, 30]), &json!([2, 3])));
    // Of one zero nothing is found.
    let found = run(["find_first", "> 20", "--map", "i32(x) * 10", "--json", &file]).json();
    assert_eq!((&found["value"], &found["index"]), (&json!(70), &json!(2)));
    let shown = run(["find_first", "> 20", "--map", "i32(x) * 10", &file]);
    assert!(shown.text().contains("index"), "{}", shown.text());
    for (name, map, descr) in
        [("max", "i32(x)", "<i4"), ("min", "x > 0", "<u4"), ("max", "x * 2", "<f4"), ("top", "u32(x)", "<u4")]
    {
        let to = folder.path().join(format!("{name}.npy")).display().to_string();
        let (adapter, k) = if name == "top" { (&lists, &["--k", "1"][..]) } else { (&adapter(), &[][..]) };
        run_where(adapter, [name, "--map", map, "--output", &to, "--force", &file].iter().chain(k)).text();
        let written = String::from_utf8_lossy(&std::fs::read(&to).unwrap()).into_owned();
        assert!(written.contains(descr), "{name} of {map}: {written:?}");
    }
}

#[test]
fn expressions_reduce() {
    let folder = Folder::new();
    let all = numbers();
    let file = folder.f32("x.npy", &all);
    let reduce = |words: &[&str]| {
        run(["reduce", "--json"].iter().copied().chain(words.iter().copied()).chain([file.as_str()])).json()
    };
    let found = reduce(&["--identity", "0", "--combine", "max(a, b)", "--map", "abs(x)"]);
    assert_eq!(
        (&found["value"], &found["combine"], &found["map"]),
        (&json!(508.0), &json!("max(a, b)"), &json!("abs(x)"))
    );
    let first = reduce(&["--identity", "0", "--combine", "select(a, b, a == 0.0)", "--map", "select(0.0, x, x > 400)"]);
    assert_eq!(first["value"], json!(all.iter().copied().find(|&x| x > 400.0)));
    let least = reduce(&["--identity", "inf", "--combine", "min(a, b)", "--commutative"]);
    assert_eq!(least["value"], json!(-500.0));
    let none = folder.f32("none.npy", &[]);
    assert_eq!(run(["reduce", "--identity", "7", "--combine", "a + b", "-q", &none]).text(), "7");
    let wide = f64s(&folder, "d.npy", &[1.5, 2.0, 4.0]);
    assert_eq!(run_where("auto", ["reduce", "--identity", "1", "--combine", "a * b", "-q", &wide]).text(), "12");
    let rows = run(["reduce", "--identity", "0", "--combine", "max(a, b)", "--rows", "2500", "--json", &file]).json();
    let want: Vec<f32> = all.chunks(2500).map(|row| row.iter().copied().fold(0.0, f32::max)).collect();
    assert_eq!(rows["value"], json!(want));
}

/// Functions that do not round make partials, which know them.
#[test]
fn partials_know_what_they_are_of() {
    let folder = Folder::new();
    let all = numbers();
    let (front, back) = (folder.f32("a.npy", &all[..1234]), folder.f32("b.npy", &all[1234..]));
    let part = |name: &str| folder.path().join(name).display().to_string();
    let (a, b) = (part("a.part"), part("b.part"));
    for (file, part) in [(&front, &a), (&back, &b)] {
        run(["sum", "--map", "abs(x)", "--partial", part, file]).text();
    }
    let merged = run(["merge", "--json", &a, &b]).json();
    let want = run(["sum", "--map", "abs(x)", "--json", &front, &back]).json();
    assert_eq!((told(&merged), &merged["map"]), (told(&want), &want["map"]));
    let other = part("c.part");
    run(["sum", "--map", "-x", "--partial", &other, &back]).text();
    run(["merge", &a, &other]).fails(1, &["sum of abs(x)", "sum of -x"]);
    run(["sum", "--map", "x * 3", "--partial", &part("d.part"), &back]).fails(1, &["x * 3 rounds", "one call"]);
    run(["max", "--map", "i", "--partial", &part("f.part"), &back]).fails(1, &["i goes by the places", "one call"]);
    run(["merge", "--map", "x", &a]).fails(2, &["leave out --map"]);
    let last = part("e.part");
    run(["reduce", "--identity", "0", "--combine", "a + b", "--partial", &last, &front])
        .fails(2, &["--partial of reduce"]);
}

/// Asserts a usage error that shows the expression, and marks below it.
#[track_caller]
fn shows(done: &Done, message: &str, expression: &str, marks: &str) {
    let lines: Vec<&str> = done.err.lines().collect();
    assert_eq!((done.status, done.out.as_str(), lines.len()), (2, "", 3), "{done:?}");
    assert!(lines[0].starts_with("treefold: --") && lines[0].contains(message), "{done:?}");
    assert_eq!((lines[1], lines[2]), (format!("    {expression}").as_str(), format!("    {marks}").as_str()));
}

#[test]
fn wrong_expressions_are_usage_errors_that_show_the_place() {
    let folder = Folder::new();
    let file = folder.f32("x.npy", &[1.0]);
    let wrong = run(["sum", "--map", "abs(x) * true", &file]);
    shows(
        &wrong,
        "treefold: --map over f32: * takes two numbers of one type, not f32 and bool",
        "abs(x) * true",
        "^^^^^^^^^^^^^",
    );
    let wrong = run(["sum", "--map", "log(y)", &file]);
    shows(&wrong, "y is no name here; there are x, i", "log(y)", "    ^");
    run(["or", "--map", "x * 2", &file]).fails(1, &["\"or\" takes i32, u32, i64 and u64 only"]);
    run(["dot", "--map", "x", &file, &folder.f32("y.npy", &[1.0])]).fails(2, &["dot takes pairs"]);
    run(["histogram", "--bins", "3", "--map", "x", &file]).fails(2, &["--range or --edges"]);
    run(["sum", "--combine", "a + b", &file]).fails(2, &["--combine is for reduce"]);
    run(["sum", "--commutative", &file]).fails(2, &["--commutative is for reduce"]);
    run(["reduce", "--combine", "a + b", &file]).fails(2, &["reduce needs --identity"]);
    run(["reduce", "--identity", "0", &file]).fails(2, &["reduce needs --combine"]);
    run(["reduce", "--identity", "nan", "--combine", "a + b", &file]).fails(2, &["NaN"]);
    run(["reduce", "--identity", "1e99", "--combine", "a + b", &file]).fails(2, &["\"1e99\": a number of type f32"]);
    run(["reduce", "--identity", "none", "--combine", "a + b", &file])
        .fails(2, &["--identity of reduce is \"none\"", "f32"]);
    let wrong = run(["reduce", "--identity", "0", "--combine", "a > b", &file]);
    shows(&wrong, "f32(…) makes one", "a > b", "^^^^^");
    let wrong = run(["reduce", "--identity", "0", "--combine", "a + x", &file]);
    shows(&wrong, "x is no name here; there are a, b", "a + x", "    ^");
    run(["sum,reduce", "--identity", "0", "--combine", "a + b", &file]).fails(2, &["reduce", "call of its own"]);
}

#[test]
fn kernels_of_expressions_are_explained() {
    let explain = |args: &[&str]| {
        let mut command = program();
        command.arg("explain").args(args);
        finish(command, b"")
    };
    let shown = explain(&["sum", "--map", "abs(x) * 2", "--wgsl"]);
    assert!(shown.out.contains("fn map_element(x: f32) -> f32 {\n    return (abs(x) * 2);\n}"), "{}", shown.out);
    shows(&explain(&["sum", "--map", "x +"]), "something is missing", "x +", "   ^");
    explain(&["or", "--map", "x"]).fails(2, &["x makes f32, but or takes"]);
    explain(&["sum", "--map", "f64(x)"]).fails(2, &["no kernel to explain"]);
}

/// Where a map asks for places, those are the places in the files, whatever is left out; of what is found, too.
#[test]
fn places_are_those_of_all_numbers() {
    let folder = Folder::new();
    let file = folder.f32("w.npy", &[0.0, 1.0, 0.0, 1.0, f32::NAN, 1.0]);
    let mask = folder.f32("m.npy", &[0.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
    for (operator, want) in [("argmax", "5 5"), ("argmin", "1 1"), ("max", "5"), ("sum", "9")] {
        assert_eq!(run([operator, "--map", "i", "--where", "> 0", "-q", &file]).text(), want, "{operator}");
    }
    assert_eq!(run(["find_first", "> 1", "--map", "i", "--where", "> 0", "-q", &file]).text(), "3 3");
    assert_eq!(run_where("auto", ["top", "--k", "2", "--map", "i", "--where", "> 0", "-q", &file]).text(), "5 5\n3 3");
    assert_eq!(run(["argmax", "--map", "x * f32(i)", "--nan", "ignore", "-q", &file]).text(), "5 5");
    let stats = run(["stats", "--map", "i", "--where", "> 0", "--json", &file]).json();
    assert_eq!((&stats["value"]["sum"], &stats["index"]["max"]), (&9.into(), &5.into()), "{stats}");
    for operator in ["argmax", "max"] {
        run([operator, "--map", "i", "--mask", &mask, &file]).fails(2, &["goes by the places of numbers, and --mask"]);
    }
    // Without a map that asks for them places are found among all.
    assert_eq!(run(["argmax", "--map", "x * 2", "--mask", &mask, "-q", &file]).text(), "2 1");
}
