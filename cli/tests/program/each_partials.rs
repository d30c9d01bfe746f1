//! Partials of many answers in files: an array in parts, merged, is the array.

use crate::common::*;
use serde_json::{Value, json};

/// The array of these tests: 7 x 3 x 4.
const SHAPE: [usize; 3] = [7, 3, 4];

fn numbers() -> Vec<f32> {
    let mut numbers: Vec<f32> = (0..84u32).map(|i| f32::from_bits(i.wrapping_mul(0x9e37_79b9) & 0xbfff_ffff)).collect();
    // Ties, zeros of both signs, NaN, infinities.
    for (at, x) in [(3, 1.0), (15, 1.0), (27, 1.0), (40, -0.0), (52, 0.0), (8, f32::NAN), (33, f32::INFINITY)] {
        numbers[at] = x;
    }
    numbers
}

/// Indices `range` of the first axis as a file.
fn file(folder: &Folder, numbers: &[f32], range: std::ops::Range<usize>) -> String {
    let row = SHAPE[1] * SHAPE[2];
    let shape = format!("({}, {}, {})", range.len(), SHAPE[1], SHAPE[2]);
    let name = format!("{}-{}.npy", range.start, range.end);
    folder.file(&name, &npy("'<f4'", false, &shape, &raw_f32(&numbers[range.start * row..range.end * row])))
}

/// Members that must not depend on how an answer came about.
fn answer(json: &Value) -> Value {
    json!(["operator", "dtype", "count", "shape", "value", "bits", "exact", "method", "index"].map(|name| &json[name]))
}

/// A partial of a file.
fn partial(folder: &Folder, adapter: &str, args: &[&str], file: &str, name: &str) -> String {
    let out = text(folder.path().join(name));
    let mut command = program();
    command.args(["--adapter", adapter, "--force", "--partial", &out, "--json"]).args(args).arg(file);
    let done = finish(command, b"").json();
    assert_eq!((&done["partial"], done.get("value")), (&json!(out), None), "{done}");
    assert!(done["shape"].is_array(), "{done}");
    out
}

#[test]
fn an_array_in_parts_is_the_array() {
    let folder = Folder::new();
    let numbers = numbers();
    let whole = file(&folder, &numbers, 0..7);
    let parts = [0..1, 1..3, 3..3, 3..7].map(|range| file(&folder, &numbers, range));
    let histogram = ["histogram", "--bins", "5", "--range", "-1:1"];
    let operators =
        [&["sum"][..], &["mean"], &["argmin"], &["argmax"], &["stats"], &["variance"], &["max"], &histogram];
    for (turn, operator) in operators.into_iter().enumerate() {
        for axis in cases(3, turn, ["0", "0,2", "-3,1"]) {
            let args = [operator, &["--axis", axis]].concat();
            let want = run(args.iter().chain([&"--json", &whole.as_str()])).json();
            let engines = ["cpu".into(), adapter()];
            let partials: Vec<String> = parts
                .iter()
                .enumerate()
                .map(|(at, part)| partial(&folder, &engines[at % 2], &args, part, &format!("{at}.part")))
                .collect();
            let merged = run(["merge", "--json"].map(String::from).iter().chain(&partials)).json();
            assert_eq!(answer(&merged), answer(&want), "{operator:?} {axis}");
            assert_eq!(merged["adapter"], "merged");
            // The last ones by way of another partial.
            let between = text(folder.path().join("between.part"));
            let args = ["merge", "--quiet", "--force", "--partial", &between].map(String::from);
            assert_eq!(run(args.iter().chain(&partials[1..])).text(), "");
            let merged = run(["merge", "--json", &partials[0], &between]).json();
            assert_eq!(answer(&merged), answer(&want), "{operator:?} {axis} by way of another");
        }
    }
}

#[test]
fn rows_in_parts_are_the_rows() {
    let folder = Folder::new();
    let numbers: Vec<i32> = (0..60).map(|i| (i * 7919) % 101).collect();
    // Columns 0 to 4 and 4 to 20 of three rows.
    let columns = |from: usize, to: usize| -> Vec<i32> {
        numbers.chunks(20).flat_map(|row| row[from..to].iter().copied()).collect()
    };
    let files =
        [folder.i32("all.npy", &numbers), folder.i32("a.npy", &columns(0, 4)), folder.i32("b.npy", &columns(4, 20))];
    for operator in ["sum", "argmax", "xor"] {
        let whole = run([operator, "--json", "--rows", "20", &files[0]]);
        let a = partial(&folder, "cpu", &[operator, "--rows", "4"], &files[1], "a.part");
        let b = partial(&folder, &adapter(), &[operator, "--rows", "16"], &files[2], "b.part");
        assert_eq!(answer(&run(["merge", "--json", &a, &b]).json()), answer(&whole.json()), "{operator}");
    }
}

/// Groups by key: a part may lack one, elements of no group's key are counted, places count through all of them.
#[test]
fn groups_in_parts_are_the_groups() {
    let folder = Folder::new();
    let numbers = &numbers()[..80];
    let keys: Vec<i32> = (0..80).map(|at| if at < 30 { [0, 9, 1][at % 3] } else { [1, -1, 0, 3][at % 4] }).collect();
    let file = |range: std::ops::Range<usize>| {
        let name = format!("{}-{}", range.start, range.end);
        let elements = folder.f32(&format!("{name}.npy"), &numbers[range.clone()]);
        (elements, folder.i32(&format!("{name}-keys.npy"), &keys[range]))
    };
    let (whole, by) = file(0..80);
    let parts = [0..30, 30..31, 31..31, 31..80].map(file);
    let groups = |by: &str| ["--group-by", by, "--groups", "4"].map(String::from).to_vec();
    let all = |json: &Value| json!([answer(json), json["counts"], json["outside"], json["answers"]]);
    let one = ["sum", "mean", "count", "argmin", "argmax", "stats", "std(ddof=1)", "max", "histogram"];
    for operator in cases(2, 1, one.into_iter().chain(["mean,std,argmax"])) {
        let flags = if operator == "histogram" { &["--bins", "5", "--range", "-1:1"][..] } else { &[] };
        let args = |by: &str| {
            let args = [operator].into_iter().chain(flags.iter().copied()).map(String::from);
            args.chain(groups(by)).collect::<Vec<String>>()
        };
        // Bins of every group are the CPU engine's alone.
        let other = if operator == "histogram" { "cpu".into() } else { adapter() };
        let told = vec!["--json".into(), whole.clone()];
        let want = run_where(&other, [args(&by), told].concat().iter()).json();
        let engines = ["cpu".into(), other];
        let partials: Vec<String> = parts
            .iter()
            .enumerate()
            .map(|(at, (part, by))| {
                let args = args(by);
                let args: Vec<&str> = args.iter().map(String::as_str).collect();
                partial(&folder, &engines[at % 2], &args, part, &format!("{at}.part"))
            })
            .collect();
        let merged = run(["merge", "--json"].map(String::from).iter().chain(&partials)).json();
        assert_eq!(all(&merged), all(&want), "{operator}");
        let between = text(folder.path().join("between.part"));
        let args = ["merge", "--quiet", "--force", "--partial", &between].map(String::from);
        assert_eq!(run(args.iter().chain(&partials[1..])).text(), "");
        assert_eq!(all(&run(["merge", "--json", &partials[0], &between]).json()), all(&want), "{operator}");
    }
    // By a mask: those that it leaves out are no group's either.
    let mask: Vec<i32> = (0..80).map(|at| at % 3 % 2).collect();
    let (mask_all, mask_a, mask_b) =
        (folder.i32("m.npy", &mask), folder.i32("ma.npy", &mask[..30]), folder.i32("mb.npy", &mask[30..]));
    let (b, by_b) = file(30..80);
    let of = |mask: &str, by: &str| [vec!["mean".into(), "--mask".into(), mask.into()], groups(by)].concat();
    let want = run([of(&mask_all, &by), vec!["--json".into(), whole.clone()]].concat().iter()).json();
    let part = |mask: &str, (file, by): (&str, &str), name: &str| {
        let args = of(mask, by);
        partial(&folder, "cpu", &args.iter().map(String::as_str).collect::<Vec<_>>(), file, name)
    };
    let halves = [part(&mask_a, (&parts[0].0, &parts[0].1), "a.part"), part(&mask_b, (&b, &by_b), "b.part")];
    let merged = run(["merge", "--json", &halves[0], &halves[1]]);
    assert_eq!(all(&merged.json()), all(&want));
    let told = run(["merge", &halves[0], &halves[1]]);
    assert!(told.text().contains("4 answers of shape (4,), each over a group"), "{}", told.text());
    assert!(told.text().contains("elements have keys outside 0..4"), "{}", told.text());
    // What is no group, and other groups.
    let rows = partial(&folder, "cpu", &["mean", "--rows", "20"], &whole, "r.part");
    run(["merge", &rows, &halves[0]]).fails(1, &["a.part", "one part is of groups"]);
    let few = partial(&folder, "cpu", &["mean", "--group-by", &by, "--groups", "2"], &whole, "few.part");
    run(["merge", &halves[0], &few]).fails(1, &["few.part", "[4]", "[2]"]);
    run(["logsumexp", "--group-by", &by, "--groups", "2", "--partial", &text(folder.path().join("l.part")), &whole])
        .fails(1, &["logsumexp", "rounds on the way"]);
    for apart in ["--by", "--segments"] {
        run(["sum", apart, &by, "--partial", "p", &whole]).fails(2, &["axes, rows or groups", "leave out", apart]);
    }
}

#[test]
fn merged_answers_are_written_and_shown() {
    let folder = Folder::new();
    let numbers = numbers();
    let whole = file(&folder, &numbers, 0..7);
    let [a, b] = [0..2, 2..7].map(|range| file(&folder, &numbers, range));
    let args = ["argmax", "--axis", "0", "--keepdims"];
    let (a, b) = (partial(&folder, "cpu", &args, &a, "a.part"), partial(&folder, "cpu", &args, &b, "b.part"));
    let [got, want] = ["got.npy", "want.npy"].map(|name| text(folder.path().join(name)));
    run(args.iter().chain(&["--output", want.as_str(), whole.as_str()])).text();
    let done = run(["merge", "--output", &got, &a, &b]);
    assert!(done.text().contains("of shape (1, 3, 4)"), "{}", done.text());
    assert_eq!(std::fs::read(&got).unwrap(), std::fs::read(&want).unwrap());
    run(["merge", "--output", &got, &a, &b]).fails(1, &["exists already"]);
    let table = run(["merge", &a, &b]);
    for phrase in ["12 answers of shape (1, 3, 4), each over 7 elements", "from 2 partials", "merged in"] {
        assert!(table.text().contains(phrase), "{phrase}: {}", table.text());
    }
    assert_eq!(run(["merge", "-q", &a, &b]).text(), run(args.iter().chain(&["-q", whole.as_str()])).text());
    let told = run(["sum", "--axis", "2", "--partial", &text(folder.path().join("told.part")), &whole]);
    assert!(told.text().contains("a partial sum of shape (7, 3), "), "{}", told.text());
    // One answer of no axes is a partial as any.
    let line = folder.f32("line.npy", &[1.5, 2.5]);
    let single = text(folder.path().join("single.part"));
    run(["sum", "-q", "--partial", &single, &line]).text();
    let along = partial(&folder, "cpu", &["sum", "--axis", "0"], &line, "along.part");
    assert_eq!(std::fs::read(&single).unwrap(), std::fs::read(&along).unwrap());
    assert_eq!(run(["merge", "-q", &single, &along]).text(), "8");
    run(["merge", "-q", "--output", &text(folder.path().join("eight.npy")), &single, &along]).text();
    assert_eq!(run(["sum", "-q", &text(folder.path().join("eight.npy"))]).text(), "8");
}

#[test]
fn what_does_not_merge_is_told() {
    let folder = Folder::new();
    let numbers = numbers();
    let whole = file(&folder, &numbers, 0..7);
    let of = |args: &[&str], name: &str| partial(&folder, "cpu", args, &whole, name);
    let (columns, rows) = (of(&["sum", "--axis", "0"], "c.part"), of(&["sum", "--axis", "1"], "r.part"));
    run(["merge", &columns, &rows]).fails(1, &["r.part", "[3, 4]", "[7, 4]", "same answers"]);
    let kept = of(&["sum", "--axis", "0", "--keepdims"], "k.part");
    run(["merge", &columns, &kept]).fails(1, &["k.part", "[3, 4]", "[1, 3, 4]"]);
    let single = text(folder.path().join("single.part"));
    run(["sum", "-q", "--partial", &single, &whole]).text();
    run(["merge", &columns, &single]).fails(1, &["single.part", "[3, 4]", "[]"]);
    let most = of(&["max", "--axis", "0"], "m.part");
    run(["merge", &columns, &most]).fails(1, &["partial sum of f32", "partial max of f32"]);
    run(["logsumexp", "--axis", "0", "--partial", &text(folder.path().join("l.part")), &whole])
        .fails(1, &["logsumexp", "rounds on the way"]);
    assert!(!folder.path().join("l.part").exists());
    let stats = of(&["stats", "--axis", "0"], "s.part");
    run(["merge", "--output", &text(folder.path().join("s.npy")), &stats]).fails(2, &["stats has 7 numbers", "s.npz"]);
    run(["merge", "--axis", "0", &columns]).fails(2, &["--axis"]);
    // Larger than the memory that is allowed.
    let long = folder.i32("long.npy", &vec![1; 1 << 18]);
    let many = partial(&folder, "cpu", &["sum", "--rows", "1"], &long, "many.part");
    run(["merge", "--memory", "1MiB", &many]).fails(1, &["many.part", "--memory", "1048576"]);
    assert_eq!(run(["merge", "-q", &many, &many]).text().lines().filter(|&line| line == "2").count(), 1 << 18);
    let endless = std::path::Path::new("/dev/zero");
    if endless.exists() {
        run(["merge", "/dev/zero"]).fails(1, &["/dev/zero", "does not begin as one"]);
    }
}
