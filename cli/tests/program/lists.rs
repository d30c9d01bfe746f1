//! Several operators in one call: the answers of single calls, as JSON, lines, tables and arrays; what is no list.

use crate::common::*;
use serde_json::{Value, json};
use std::io::Read;

/// 6 × 4 numbers as f32 and i32, and as f32 in Fortran order: the file, its type, whether it is in that order.
fn matrices(folder: &Folder) -> [(String, &'static str, bool); 3] {
    let number = |at: usize| ((at * 37 + 11) % 23) as i32 - 9;
    let float = |at: usize| number(at) as f32 * 0.37;
    // Place i + 6 j holds element (i, j).
    let turned = |at: usize| at % 6 * 4 + at / 6;
    let files = [
        ("f32", "'<f4'", false, raw_f32(&(0..24).map(float).collect::<Vec<_>>())),
        ("i32", "'<i4'", false, raw_i32(&(0..24).map(number).collect::<Vec<_>>())),
        ("f32", "'<f4'", true, raw_f32(&(0..24).map(turned).map(float).collect::<Vec<_>>())),
    ];
    files.map(|(dtype, descr, fortran, data)| {
        (folder.file(&format!("{dtype}{fortran}.npy"), &npy(descr, fortran, "(6, 4)", &data)), dtype, fortran)
    })
}

/// The operators over a type, each with the options that it is told.
fn told(dtype: &str) -> Vec<(&'static str, Vec<&'static str>)> {
    let all =
        [("ddof", "1"), ("scale", "0.5"), ("bins", "3"), ("range", "-4:4"), ("compare", "> 3"), ("p", "3"), ("k", "2")];
    let entries =
        treefold::ops::TABLE.iter().filter(|entry| entry.dtype.name() == dtype && entry.fast_form_of.is_none());
    let entries = entries.filter(|entry| entry.host_only.is_none() || adapter() == "cpu");
    let with = |entry: &treefold::ops::Entry| {
        let has = |option: &str| entry.options.iter().any(|(name, _)| *name == option);
        all.into_iter().filter(|(option, _)| has(option)).flat_map(|(option, value)| [option, value]).collect()
    };
    entries.map(|entry| (entry.name, with(entry))).collect()
}

/// `--NAME=VALUE` of names and values in turn.
fn flags(options: &[&str]) -> Vec<String> {
    options.chunks(2).map(|pair| format!("--{}={}", pair[0], pair[1])).collect()
}

#[test]
fn answers_are_those_of_single_calls() {
    let folder = Folder::new();
    let offsets = folder.i32("o.npy", &[0, 5, 5, 17, 24]);
    for (turn, (file, dtype, fortran)) in matrices(&folder).into_iter().enumerate() {
        for how in
            [&[][..], &["--fast"], &["--axis", "0"], &["--axis", "-1"], &["--rows", "8"], &["--segments", &offsets]]
        {
            let mut operators = told(dtype);
            // All of them once; devices have no room for the bins of each segment.
            let some = ["sum", "argmax", "stats", "variance", "logsumexp", "histogram"];
            operators.retain(|(name, _)| how.is_empty() && !fortran || some.contains(name));
            operators.retain(|(name, _)| *name != "histogram" || how != ["--segments", &offsets]);
            let list = operators.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(",");
            let mut options: Vec<&str> = vec![];
            for pair in operators.iter().flat_map(|(_, told)| told.chunks(2)) {
                if !options.contains(&pair[0]) {
                    options.extend(pair);
                }
            }
            let call = |names: &str, options: &[&str]| {
                let plain = [names, "--json", &file].map(String::from);
                let how = how.iter().map(ToString::to_string);
                run(plain.into_iter().chain(how).chain(flags(options))).json()
            };
            let all = call(&list, &options);
            assert_eq!(all["operators"], json!(operators.iter().map(|(name, _)| *name).collect::<Vec<_>>()));
            assert_eq!(all["answers"].as_object().map(|answers| answers.len()), Some(operators.len()));
            for (name, told) in cases(3, turn, operators) {
                let one = call(name, &told);
                for member in ["value", "index", "bits", "type", "edges", "exact", "method"] {
                    // An operator that rounds on the way may take another order alone, where the list asks for C order.
                    if fortran && all["answers"][name]["exact"] == false && member != "exact" {
                        continue;
                    }
                    assert_eq!(all["answers"][name][member], one[member], "{name} {member} {how:?} {file}");
                }
                for member in ["dtype", "count", "shape"] {
                    assert_eq!(all[member], one[member], "{name} {member} {how:?}");
                }
            }
        }
    }
}

#[test]
fn json_says_once_what_is_common() {
    let folder = Folder::new();
    let file = folder.i32("x.npy", &[7, -2, 7]);
    let all = run(["argmax,mean", "--json", &file]).json();
    let members: Vec<&String> = all.as_object().expect("an object").keys().collect();
    let mut want = vec!["operators", "dtype", "count", "answers", "adapter", "backend", "seconds"];
    want.extend((adapter() != "cpu").then_some("launch"));
    want.sort_unstable();
    assert_eq!(members, want);
    assert_eq!(all["answers"]["argmax"], json!({"value": 7, "index": 0, "type": "i32", "exact": true}));
    // Integers that readers round, under their operator.
    let wide = folder.file("w.npy", &npy("'<u8'", false, "(2,)", &[u64::MAX.to_le_bytes(), [0; 8]].concat()));
    assert_eq!(run(["sum", "--json", &wide]).json()["strings"], json!({"value": u64::MAX.to_string()}));
    let large = folder.i32("l.npy", &[i32::MAX, i32::MAX]);
    let all = run(["product,max", "--json", &large]).json();
    let product = (i64::from(i32::MAX) * i64::from(i32::MAX)).to_string();
    assert_eq!(all["strings"], json!({"answers": {"product": {"value": product}}}));
}

#[test]
fn lines_and_tables_stand_in_the_order_of_the_list() {
    let folder = Folder::new();
    let file = folder.f32("x.npy", &[1.0, 5.0, -2.0, 0.5]);
    assert_eq!(run(["max,sum,argmin", "-q", &file]).text(), "5\n4.5\n-2 2");
    assert_eq!(run(["sum,minmax", "-q", &file]).text(), "4.5\nmin -2\nmax 5");
    assert_eq!(run(["sum,argmin", "-q", "--rows", "2", &file]).text(), "6\n-1.5\n1 0\n-2 0");
    let table = run(["sum,argmax,stats,mean", &file]);
    let lines: Vec<&str> = table.text().lines().collect();
    for line in ["│ sum      ┆   4.5 ┆       │", "│ argmax   ┆     5 ┆     1 │", "│ mean     ┆ 1.125 │"]
    {
        assert!(lines.contains(&line), "{}", table.out);
    }
    assert!(table.text().contains("│ stats"), "{}", table.out);
    assert!(table.text().contains("note: sum, stats, mean: exact"), "{}", table.out);
    // Of many answers a column for each.
    let many = run(["sum,argmax", "--rows", "2", &file]);
    assert!(many.text().contains("│ row ┆  sum ┆ argmax ┆ index │"), "{}", many.out);
    assert!(many.text().contains("│   1 ┆ -1.5 ┆    0.5 ┆     1 │"), "{}", many.out);
    assert_eq!(many.text().matches("2 answers of shape (2,)").count(), 1, "{}", many.out);
    // Those that go through the elements together have one way, each other its own.
    let done = run(["sum,logsumexp,max", "-v", "-q", &file]);
    assert!(done.err.contains("sum,max: ") && done.err.contains("logsumexp: "), "{}", done.err);
}

#[test]
fn a_pipe_is_read_once_for_all() {
    let numbers: Vec<i32> = (0..300_000).map(|at| at % 10_007 * 7919 % 10_007).collect();
    let sum = numbers.iter().map(|&x| i64::from(x)).sum::<i64>();
    let at = numbers.iter().position(|&x| x == 10_006).expect("the largest");
    let some = numbers.iter().filter(|&&x| x != 0).count();
    let want = format!("{sum}\n10006 {at}\n{some}");
    let list = ["sum,argmax,count_nonzero", "-q", "--memory", "1MiB", "--dtype", "i32"];
    assert_eq!(run_with(list, &raw_i32(&numbers)).text(), want);
    assert_eq!(run_with(["sum,argmax,count_nonzero", "-q"], &npy_i32(&numbers)).text(), want);
    // Along axes and by segments too.
    let folder = Folder::new();
    let matrix = npy("'<i4'", false, "(2, 3)", &raw_i32(&[1, 2, 3, 4, 5, 6]));
    assert_eq!(run_with(["sum,max", "-q", "--axis", "0"], &matrix).text(), "5\n7\n9\n4\n5\n6");
    let offsets = folder.i32("o.npy", &[0, 2, 6]);
    assert_eq!(run_with(["sum,max", "-q", "--segments", &offsets], &matrix).text(), "3\n18\n2\n6");
    // But for a range of its own it is read twice.
    let own = run_with(["sum,histogram", "--dtype", "i32"], &raw_i32(&[1]));
    own.fails(2, &["histogram reads its input twice", "pipe", "--range"]);
}

/// The members of a .npz file, none of them compressed.
fn members(path: &str) -> Vec<(String, Vec<u8>)> {
    let mut zip = zip::ZipArchive::new(std::fs::File::open(path).expect("a file")).expect("a zip");
    let count = zip.len();
    let member = |at| {
        let mut member = zip.by_index(at).expect("a member");
        assert_eq!(member.compression(), zip::CompressionMethod::Stored);
        let mut bytes = vec![];
        member.read_to_end(&mut bytes).expect("its bytes");
        (member.name().to_string(), bytes)
    };
    (0..count).map(member).collect()
}

#[test]
fn arrays_stand_in_one_file_by_name() {
    let folder = Folder::new();
    let [(file, ..), ..] = matrices(&folder);
    let out = |name: &str| text(folder.path().join(name));
    let offsets = folder.i32("o.npy", &[0, 5, 17, 24]);
    for how in [&[][..], &["--axis", "0"], &["--rows", "4"], &["--segments", &offsets]] {
        let all = out("all.npz");
        let write = |names: &str, path: &str| {
            let plain = [names, "--output", path, "--force", &file];
            run(plain.iter().chain(how)).text().to_string()
        };
        let told = write("sum,argmax,count_nonzero", &all);
        assert!(told.contains("all.npz: sum, argmax, count_nonzero of shape ("), "{told}");
        let found = members(&all);
        assert_eq!(
            found.iter().map(|(name, _)| &name[..]).collect::<Vec<_>>(),
            ["sum.npy", "argmax.npy", "count_nonzero.npy"]
        );
        for (name, bytes) in found {
            let one = out(&name);
            write(name.trim_end_matches(".npy"), &one);
            assert!(std::fs::read(&one).expect("an array") == bytes, "{name} {how:?}");
        }
        let one = out("one.NPZ");
        write("max", &one);
        assert_eq!(members(&one).len(), 1);
    }
    let there = out("all.npz");
    let before = std::fs::read(&there).expect("a file");
    run(["sum,max", "--output", &there, &file]).fails(1, &["all.npz: exists already", "--force"]);
    assert!(std::fs::read(&there).expect("a file") == before);
    assert_eq!(run(["sum,max", "-q", "--force", "--output", &there, &file]).out, "");
    assert_eq!(run(["sum,max", "--json", "--force", "--output", &there, &file]).json()["output"], json!(there));
    // Nothing is left of what fails.
    let none = folder.i32("none.npy", &[]);
    run(["sum,max", "--output", &out("no.npz"), &none]).fails(1, &["max: answer 0 is none", "--json"]);
    let left = std::fs::read_dir(folder.path()).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let left: Vec<String> = left.map(|name| name.to_string_lossy().into_owned()).collect();
    assert!(!left.iter().any(|name| name.starts_with('.') || name == "no.npz"), "{left:?}");
    // Merged partials of one operator.
    let (part, merged) = (out("a.part"), out("merged.npz"));
    run(["sum", "-q", "--axis", "0", "--partial", &part, &file]).text();
    run(["merge", "--output", &merged, &part]).text();
    assert_eq!(members(&merged)[0].1, members(&there_with_axis(&folder, &file))[0].1);
}

/// Sums along the first axis, as a .npz file.
fn there_with_axis(folder: &Folder, file: &str) -> String {
    let path = text(folder.path().join("axis.npz"));
    run(["sum,max", "--axis", "0", "--output", &path, file]).text();
    path
}

#[test]
fn halves_are_widened_for_those_that_want_it() {
    let folder = Folder::new();
    // 1, 2, 0.5, 1e-5
    let file = folder.file("h.npy", &npy("'<f2'", false, "(4,)", &[0, 0x3c, 0, 0x40, 0, 0x38, 0xa8, 0]));
    let keys = folder.i32("k.npy", &[0, 1, 1, 0]);
    for list in ["sum,mean", "sum,max", "max,sum,variance", "variance,min,hash,logsumexp", "std,norm2"] {
        for told in [&[][..], &["--rows", "2"], &["--by", &keys], &["--where", "> 0.7"], &["--memory", "1MiB"]] {
            let of = |names| run([names, "--json", &file].iter().chain(told)).json();
            let all = of(list);
            assert_eq!(all["dtype"], if list == "std,norm2" { "f32" } else { "f16" }, "{list}");
            for name in list.split(',') {
                let (listed, alone) = (&all["answers"][name], of(name));
                for said in ["value", "bits", "exact"] {
                    assert_eq!(listed[said], alone[said], "{said} of {name} in {list}, {told:?}");
                }
            }
        }
    }
    let told = run(["hash,logsumexp", &file]);
    assert!(told.text().contains("logsumexp: accumulated in f32"), "{told:?}");
    // The partials of a list are those of its operators alone.
    let [listed, alone] = ["l.part", "a.part"].map(|name| text(folder.path().join(name)));
    run(["hash,variance", "-q", "--partial", &listed, &file]).text();
    run(["hash", "-q", "--partial", &alone, &file]).text();
    let hash = run(["hash", "-q", &file]).text().to_string();
    assert_eq!(run(["merge", "-q", &alone]).text(), hash);
    assert_eq!(run(["merge", "-q", &listed]).text().lines().next(), Some(&*hash));
}

#[test]
fn a_picture_is_that_of_the_histogram() {
    let folder = Folder::new();
    let file = folder.f32("x.npy", &[0.0, 0.5, 2.5]);
    let svg = text(folder.path().join("h.svg"));
    let all = run(["sum,histogram", "--bins", "2", "--plot", &svg, "--json", &file]).json();
    assert_eq!(all["answers"]["histogram"]["value"]["bins"], json!([2, 1]));
    assert_eq!(all["answers"]["sum"]["edges"], Value::Null);
    assert!(std::fs::read_to_string(&svg).expect("a picture").contains("histogram of "));
    run(["sum,max", "--plot", &svg, "--force", &file]).fails(2, &["--plot", "sum and max have none"]);
}

#[test]
fn lists_that_are_none_are_told() {
    let folder = Folder::new();
    let file = folder.f32("x.npy", &[1.0]);
    let fails = |args: &[&str], phrases: &[&str]| run(args.iter().chain([&file.as_str()])).fails(2, phrases);
    fails(&["sum,max,sum"], &["sum,max,sum: sum stands twice", "once"]);
    fails(&["sum,summ"], &["'summ'", "'sum'"]);
    for list in ["sum,", ",sum", "sum,,max", ""] {
        fails(&[list], &["empty item", "leave out a comma"]);
    }
    for word in ["merge", "adapters", "explain", "ladder"] {
        fails(&[&format!("sum,{word}")], &[word, "no operator", "call of its own"]);
    }
    fails(&["sum,dot", &file], &["dot takes two inputs as pairs", "call of its own"]);
    fails(&["histogram,max", "--partial", "p"], &["--partial of histogram", "--range"]);
    fails(&["sum,max", "--output", "o.npy"], &["--output o.npy: holds one array", "sum,max are 2", "o.npz"]);
    fails(&["sum,max", "--output", "out"], &["--output out: holds one array", "out.npz"]);
    fails(
        &["sum,max", "--ddof", "1"],
        &["--ddof is for variance and std and sem and stats and covariance; sum and max have none"],
    );
    fails(&["sum,variance", "--ddof", "x"], &["--ddof of variance is \"x\""]);
    run(["sum,and", &file]).fails(1, &["x.npy", "holds f32", "\"and\" takes i32, u32, i64 and u64"]);
    assert_eq!(run(["max,variance", "-q", "--ddof", "1", &folder.f32("y.npy", &[1.0, 3.0])]).text(), "3\n2");
    // Each alone has room.
    let long = folder.i32("long.npy", &[1; 6000]);
    run(["sum", "-q", "--rows", "1", "--memory", "1MiB", &long]).text();
    run(["sum,max,min", "--rows", "1", "--memory", "1MiB", &long]).fails(1, &["6000 answers", "--memory"]);
}
