//! Every operator against answers worked out by hand, and the fields and types of the JSON object.

use crate::common::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// By their definitions, in rational numbers.
const SKEWNESS: f64 = 0.6682892518272332;
const KURTOSIS: f64 = -0.5349496168871452;

const NUMBERS: [i32; 8] = [3, 1, 4, 1, 5, 9, 2, 6];

/// Operator, its value on integers, on floats (null: not taken), its index.
fn expected() -> Vec<(&'static str, Value, Value, Option<u64>)> {
    vec![
        ("sum", json!(31), json!(31.0), None),
        ("wrapping_sum", json!(31), Value::Null, None),
        ("product", json!(6480), json!(6480.0), None),
        ("min", json!(1), json!(1.0), None),
        ("max", json!(9), json!(9.0), None),
        ("minmax", json!({"min": 1, "max": 9}), json!({"min": 1.0, "max": 9.0}), None),
        ("range", json!(8), json!(8.0), None),
        ("norminf", json!(9), json!(9.0), None),
        ("argmin", json!(1), json!(1.0), Some(1)),
        ("argmax", json!(9), json!(9.0), Some(5)),
        ("mean", json!(3.875), json!(3.875), None),
        ("variance", json!(6.609375), json!(6.609375), None),
        ("std", json!(6.609375f64.sqrt()), json!(6.609375f64.sqrt()), None),
        ("sem", json!((52.875f64 / 56.0).sqrt()), json!((52.875f64 / 56.0).sqrt()), None),
        ("count_nonzero", json!(8), json!(8), None),
        ("count_nan", json!(0), json!(0), None),
        ("any", json!(true), json!(true), None),
        ("all", json!(true), json!(true), None),
        ("none", json!(false), json!(false), None),
        ("and", json!(0), Value::Null, None),
        ("or", json!(15), Value::Null, None),
        ("xor", json!(3 ^ 1 ^ 4 ^ 1 ^ 5 ^ 9 ^ 2 ^ 6), Value::Null, None),
        ("sumsq", json!(173), json!(173.0), None),
        ("norm2", json!(173f64.sqrt()), json!(173f32.sqrt()), None),
        ("norm1", json!(31), json!(31.0), None),
        ("wrapping_product", json!(6480), Value::Null, None),
        ("log_product", json!(6480f64.ln()), json!(6480f64.ln()), None),
        ("log_mean", json!(6480f64.powf(0.125)), json!(6480f64.powf(0.125)), None),
        ("harmonic_mean", json!(1440.0 / 641.0), json!(1440.0 / 641.0), None),
        ("entropy", json!(1.8597911965764822), json!(1.8597911965764822), None),
        ("skewness", json!(SKEWNESS), json!(SKEWNESS), None),
        ("kurtosis", json!(KURTOSIS), json!(KURTOSIS), None),
        ("count", json!(8), json!(8), None),
        ("argmin_last", json!(1), json!(1.0), Some(3)),
        ("argmax_last", json!(9), json!(9.0), Some(5)),
        ("parity", json!(false), json!(false), None),
    ]
}

#[test]
fn every_operator_has_an_expected_answer() {
    let others = ["count_if", "stats", "dot", "logsumexp", "histogram", "histogram2d"];
    let more = ["norm", "find_first", "find_last", "softmax_terms", "hash", "top", "bottom"];
    let pairs = ["covariance", "correlation", "weighted_mean", "cosine"];
    let names: BTreeSet<_> = expected().iter().map(|row| row.0).chain(others).chain(more).chain(pairs).collect();
    assert_eq!(names, operators().into_iter().collect());
}

#[test]
fn operators_answer_as_by_hand() {
    let folder = Folder::new();
    let ints = folder.i32("ints.npy", &NUMBERS);
    let floats = folder.f32("floats.npy", &NUMBERS.map(|x| x as f32));
    for (name, of_ints, of_floats, index) in expected() {
        for (file, dtype, value) in [(&ints, "i32", of_ints), (&floats, "f32", of_floats)] {
            let done = run_where(&adapter_for(name, dtype), [name, "--json", file]);
            if value.is_null() {
                done.fails(1, &[file, "takes i32, u32, i64 and u64 only", "what takes f32"]);
                continue;
            }
            let json = done.json();
            let near = |value: &Value| value.as_f64().map(|x| x as f32);
            let functions = ["log_product", "log_mean", "harmonic_mean", "entropy"].contains(&name);
            // Of these the parser of JSON may miss the last bit, which stands beside the value.
            let bits = value.as_f64().map(|x| Value::from(format!("{:016x}", x.to_bits())));
            let same = match name {
                "norm2" => near(&json["value"]) == near(&value),
                "sem" | "skewness" | "kurtosis" => json.get("bits") == bits.as_ref(),
                _ if functions => {
                    let apart = json["value"].as_f64().zip(value.as_f64()).map(|(got, want)| (got / want - 1.0).abs());
                    apart.is_some_and(|apart| apart < if dtype == "f32" { 1e-6 } else { 1e-12 })
                }
                _ => false,
            };
            assert!(json["value"] == value || same, "{json}");
            assert_eq!(json["operator"], name);
            assert_eq!(json["dtype"], dtype);
            assert_eq!(json["count"], 8);
            assert_eq!(json.get("index"), index.map(Value::from).as_ref(), "{json}");
            let rounded = functions || (name, dtype) == ("product", "f32");
            assert_eq!(json["exact"], !rounded, "{json}");
        }
    }
}

/// Those that are told something, and those of two files.
#[test]
fn operators_that_are_told_something_answer_as_by_hand() {
    let folder = Folder::new();
    let ints = folder.i32("ints.npy", &NUMBERS);
    let value = |args: &[&str]| run(args.iter().copied().chain(["--json"])).json();
    let anywhere = |args: &[&str]| run_where("auto", args.iter().copied().chain(["--json"])).json();
    for (args, want, index) in [
        (["find_first", "> 3", &ints], json!(4), Some(2)),
        (["find_last", "> 3", &ints], json!(6), Some(7)),
        (["find_last", "> 9", &ints], Value::Null, None),
        (["count_if", "> 3", &ints], json!(4), None),
    ] {
        let json = value(&args);
        assert_eq!((&json["value"], json["index"].as_u64()), (&want, index), "{args:?}: {json}");
    }
    let norm = anywhere(&["norm(3)", &ints])["value"].as_f64().expect("a number");
    assert!((norm / 1171f64.powf(1.0 / 3.0) - 1.0).abs() < 1e-12, "{norm}");
    run(["norm", &ints]).fails(2, &["norm needs --p"]);
    run(["norm", "--p", "0", &ints]).fails(2, &["--p of norm is \"0\": a number from 0.01 to 1000"]);
    let same = |x: &str, y: &str| value(&["hash", x])["value"] == value(&["hash", y])["value"];
    let turned = folder.i32("turned.npy", &[1, 3, 4, 1, 5, 9, 2, 6]);
    assert!(same(&ints, &ints) && !same(&ints, &turned));
    let floats = folder.f32("x.npy", &[1000.0, 1000.0, -1000.0]);
    let tied = folder.f32("tied.npy", &[2.0, 7.0, 2.0, 7.0, 3.0]);
    // By the operators' names.
    let places = |args: &[&str]| {
        let of = |answer: &Value| answer["index"].as_u64();
        let json = value(args);
        json["answers"].as_object().map_or_else(|| vec![of(&json)], |all| all.values().map(of).collect())
    };
    assert_eq!(places(&["argmax", &tied]), [Some(1)]);
    assert_eq!(places(&["argmax", "--last", &tied]), [Some(3)]);
    assert_eq!(places(&["argmin,max,argmax", "--last", &tied]), [Some(3), Some(2), None]);
    run(["max,sum", "--last", &tied]).fails(2, &["--last is for argmin and argmax; max and sum have none"]);
    run(["argmax,argmax_last", "--last", &tied]).fails(2, &["argmax_last stands twice"]);
    assert_eq!(value(&["softmax_terms", &floats])["value"], json!({"max": 1000.0, "sum": 2.0}));
    let (x, y) = (folder.f32("a.npy", &[1.0, 2.0, 3.0]), folder.f32("b.npy", &[2.0, 4.0, 6.0]));
    for (name, want) in [("covariance(1)", 2.0), ("correlation", 1.0), ("weighted_mean", 28.0 / 12.0), ("cosine", 1.0)]
    {
        let got = anywhere(&[name, &x, &y])["value"].as_f64().expect("a number");
        assert!((got - want).abs() < 1e-6, "{name}: {got}");
    }
    let all = anywhere(&["covariance,correlation,dot", &x, &y]);
    assert_eq!(all["answers"]["dot"]["value"], json!(28.0), "{all}");
}

/// Operators that the CPU alone computes go there where nobody asks for another adapter; else an error tells it.
#[test]
fn functions_of_f64_are_computed_on_the_cpu() {
    let folder = Folder::new();
    let bytes: Vec<u8> = [1.0f64, 2.0, 4.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let file = folder.file("x.npy", &npy("'<f8'", false, "(3,)", &bytes));
    let json = run_where("auto", ["log_mean", "--json", &file]).json();
    assert_eq!((&json["value"], &json["backend"]), (&json!(2.0), &json!("cpu")));
    run_where("0", ["log_mean", &file]).fails(1, &["log_mean over f64 is computed on the CPU alone", "--adapter cpu"]);
    let mut explain = program();
    explain.args(["explain", "log_mean", "--dtype", "f64"]);
    finish(explain, b"").fails(2, &["no kernel to explain"]);
}

/// Lists of elements: JSON, lines, tables, arrays, of one answer and of many.
#[test]
fn the_largest_and_the_smallest() {
    let folder = Folder::new();
    let file = folder.f32("x.npy", &[3.0, f32::NAN, 4.0, -1.0, 4.0, 9.5]);
    // Many answers are the CPU's, of a whole input every engine's.
    let anywhere = |args: &[&str]| run_where("auto", args.iter().copied());
    let json = run(["top", "--k", "4", "--json", &file]).json();
    assert_eq!((&json["value"], &json["index"]), (&json!(["nan", 9.5, 4.0, 4.0]), &json!([1, 5, 2, 4])), "{json}");
    assert_eq!((&json["exact"], &json["bits"][1]), (&json!(true), &json!("41180000")));
    let json = run(["top(1),bottom(9)", "--nan", "ignore", "--json", &file]).json();
    let answers = &json["answers"];
    assert_eq!((&answers["top"]["value"], &answers["top"]["index"]), (&json!([9.5]), &json!([5])), "{json}");
    let bottom = (json!([-1.0, 3.0, 4.0, 4.0, 9.5]), json!([3, 0, 2, 4, 5]));
    assert_eq!((&answers["bottom"]["value"], &answers["bottom"]["index"]), (&bottom.0, &bottom.1), "{json}");
    let json = run(["bottom", "--k", "2", "--where", "> 3", "--json", &file]).json();
    assert_eq!((&json["value"], &json["index"]), (&json!([4.0, 4.0]), &json!([2, 4])), "{json}");
    assert_eq!(anywhere(&["bottom", "--k", "2", "-q", "--where", "< 5", &file]).out, "-1 3\n3 0\n");
    let none = folder.f32("none.npy", &[]);
    let json = run(["top", "--k", "2", "--json", &none]).json();
    assert_eq!((&json["value"], &json["index"]), (&json!([]), &json!([])), "{json}");
    let table = anywhere(&["top", "--k", "2", "--nan", "ignore", &file]);
    for line in ["│ top ┆ value ┆ index │", "│   1 ┆   9.5 ┆     5 │", "│   2 ┆     4 ┆     2 │"]
    {
        assert!(table.text().contains(line), "{line}: {}", table.out);
    }
    let long = folder.i32("long.npy", &(0..5000).map(|at| at * 7919 % 5003).collect::<Vec<_>>());
    let table = anywhere(&["top", "--k", "1024", &long]);
    assert!(table.text().contains("│ 1024 ┆") && table.text().lines().count() < 40, "{}", table.out);
    let all = run(["top", "--k", "1024", "-q", &long]);
    assert_eq!(all.text(), anywhere(&["top", "--k", "1024", "-q", &long]).text());
    assert_eq!(all.text().lines().count(), 1024);
    // Of rows, axes and groups.
    let matrix = folder.file("m.npy", &npy("'<i4'", false, "(2, 3)", &raw_i32(&[1, 7, 3, 9, 5, 6])));
    let json = run(["top", "--k", "2", "--axis", "1", "--json", &matrix]).json();
    assert_eq!((&json["value"], &json["index"]), (&json!([[7, 3], [9, 6]]), &json!([[1, 2], [0, 2]])), "{json}");
    let json = run(["top", "--k", "5", "--axis", "0", "--json", &matrix]).json();
    assert_eq!(json["value"], json!([[9, 1], [7, 5], [6, 3]]), "{json}");
    assert_eq!(run(["top", "--k", "2", "-q", "--rows", "3", &matrix]).out, "7 1 3 2\n9 0 6 2\n");
    let table = run(["top,argmax", "--k", "2", "--rows", "3", &matrix]);
    assert!(table.text().contains("│   1 ┆ 9 6 ┆   0 2 │"), "{}", table.out);
    let offsets = folder.i32("o.npy", &[0, 1, 1, 6]);
    let json = run(["bottom", "--k", "2", "--segments", &offsets, "--json", &matrix]).json();
    assert_eq!((&json["value"], &json["index"]), (&json!([[1], [], [3, 5]]), &json!([[0], [], [1, 3]])), "{json}");
    // Arrays: values alone, or places beside them; what is shorter has NaN, which whole numbers lack.
    let out = |name: &str| text(folder.path().join(name));
    let told = run(["top", "--k", "2", "--axis", "1", "--output", &out("v.npy"), &matrix]);
    assert!(told.text().contains("top of shape (2, 2)"), "{}", told.out);
    let value = |args: &[&str]| anywhere(&[args, &["--json"]].concat()).json()["value"].clone();
    assert_eq!(value(&["top", "--k", "4", "--axis", "0,1", &out("v.npy")]), json!([9, 7, 6, 3]));
    anywhere(&["top", "--k", "2", "--axis", "1", "--output", &out("v.npz"), &matrix]).text();
    assert_eq!(value(&["max", "--column", "top", &out("v.npz")]), json!(9));
    assert_eq!(value(&["sum", "--column", "top.index", "--axis", "0", &out("v.npz")]), json!([1, 4]));
    let short = ["bottom", "--k", "2", "--segments", &offsets, "--output", &out("short.npy")];
    anywhere(&[&short[..], &[&matrix]].concat()).fails(1, &["bottom: answer 1 is none", "--json"]);
    // What no device lists is the CPU engine's, and an error where an adapter is named.
    let floats = folder.file("f.npy", &npy("'<f4'", false, "(2, 2)", &raw_i32(&[1, 2, 3, 4])));
    let groups = folder.i32("g.npy", &[0, 1, 1, 0]);
    for how in [&["--nan", "ignore", "--axis", "1"][..], &["--map", "x * 2"], &["--group-by", &groups, "--groups", "2"]]
    {
        let args = [&["top", "--k", "1", "-q"], how, &[&floats]].concat();
        anywhere(&args).text();
        if adapter() != "cpu" {
            run(&args).fails(1, &["on the CPU alone", "--adapter cpu"]);
        }
    }
    // Parts in their order.
    let parts = ["a.part", "b.part"].map(&out);
    for part in &parts {
        run(["top", "--k", "3", "--partial", part, &file]).text();
    }
    assert_eq!(run(["merge", "-q", &parts[0], &parts[1]]).out, "nan 1\nnan 7\n9.5 5\n");
    run(["merge", "-q", "--k", "2", &parts[0]]).fails(2, &["a partial top(k=3)", "top(k=2) cannot be made"]);
    // Errors of the option.
    for (k, args) in [("0", ["top", "--k", "0", &file]), ("1025", ["top", "--k", "1025", &file])] {
        run(args).fails(2, &[&format!("--k of top is {k:?}: a whole number from 1 to 1024")]);
    }
    run(["top", &file]).fails(2, &["top needs --k: How many elements, 1 to 1024"]);
    run(["max", "--k", "3", &file]).fails(2, &["--k is for top and bottom; max has none"]);
}

#[test]
fn stats_has_its_parts() {
    let folder = Folder::new();
    let file = folder.f32("x.npy", &[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
    let json = run(["stats", "--json", &file]).json();
    let value = json!({"count": 8, "nan_count": 0, "sum": 40.0, "mean": 5.0, "std": 2.0, "min": 2.0, "max": 9.0});
    assert_eq!(json["value"], value);
    assert_eq!(json["index"], json!({"min": 0, "max": 7}));
    assert_eq!(json["bits"]["sum"], "42200000");
    assert_eq!(json["bits"]["mean"], "4014000000000000");
    assert_eq!(json["method"], "exact");
    assert_eq!(run(["stats", "--fast", "--json", &file]).json()["method"], "fast");
    let sample = run(["stats", "--ddof", "1", "--json", &file]).json();
    assert!((sample["value"]["std"].as_f64().unwrap() - (32.0f64 / 7.0).sqrt()).abs() < 1e-6, "{sample}");
    let variance = run(["variance", "--ddof", "1", "--quiet", &folder.i32("y.npy", &[1, 3])]);
    assert_eq!(variance.text(), "2");
}

#[test]
fn a_histogram_has_bins_and_what_lies_beside_them() {
    let folder = Folder::new();
    let numbers = [0.0, 0.25, 0.5, 1.0, 7.0, -1.0, f32::NAN, 0.75];
    let file = folder.f32("x.npy", &numbers);
    let args = ["histogram", "--bins", "4", "--range", "0:1", &file];
    let json = run(args.iter().chain(&["--json"])).json();
    assert_eq!(json["value"], json!({"bins": [1, 1, 1, 2], "below": 1, "above": 1, "nan": 1}));
    assert_eq!((&json["count"], json.get("index"), json.get("bits")), (&json!(8), None, None), "{json}");
    assert_eq!(run(args.iter().chain(&["-q"])).out, "bin 1\nbin 1\nbin 1\nbin 2\nbelow 1\nabove 1\nnan 1\n");
    let table = run(args);
    for line in ["│ histogram ", "│ 0.25 to 0.5 ┆     1 ┆ █", "│ 0.75 to 1   ┆     2 ┆ █", "│ nan         ┆     1 ┆  "]
    {
        assert!(table.text().contains(line), "{line}: {}", table.out);
    }
    // One bin is a list too, negative edges are values, and many bins share rows.
    let json = run(["histogram", "--json", "--bins", "1", "--range", "-1:1", &file]).json();
    assert_eq!(json["value"], json!({"bins": [6], "below": 0, "above": 1, "nan": 1}));
    let many = run(["histogram", "--bins", "1000", "--range=0:8", &folder.i32("i.npy", &[1, 7, 8, 9])]);
    assert!(many.text().contains("to 8 (40 bins) "), "{}", many.out);
    assert!(many.out.lines().count() < 40, "{}", many.out);
}

#[test]
fn options_of_operators_reach_them() {
    let folder = Folder::new();
    let file = folder.f32("x.npy", &[1.0, 1.0]);
    let value = |args: &[&str]| run(args.iter().chain(&["-q", file.as_str()])).text().parse::<f64>().unwrap();
    assert!((value(&["logsumexp"]) - (1.0 + 2f64.ln())).abs() < 1e-5);
    assert!((value(&["logsumexp", "--scale", "-3"]) - (2f64.ln() - 3.0)).abs() < 1e-5);
}

#[test]
fn comparisons_stand_before_files_or_behind_their_flag() {
    let folder = Folder::new();
    let file = folder.f32("t.npy", &[29.5, 30.0, 30.5, f32::NAN, -31.0]);
    for (comparison, want) in [("> 30", "1"), (">=30", "2"), ("< -2.5", "1"), ("==30", "1"), ("!= 30", "4")] {
        assert_eq!(run(["count_if", "-q", comparison, &file]).text(), want, "{comparison}");
        assert_eq!(run(["count_if", "-q", "--compare", comparison, &file]).text(), want, "{comparison}");
    }
    assert_eq!(run(["count_nan,count_if", "-q", "--compare", "<=30", &file]).text(), "1\n3");
    assert_eq!(run(["count_nan,count_if(<=30)", "-q", &file]).text(), "1\n3");
    assert_eq!(run(["count_if", "-q", "> -1", &folder.i32("i.npy", &[-1, 0, 5])]).text(), "2");
    run(["count_if", &file]).fails(2, &["count_if needs --compare", "'> 30'"]);
    run(["sum,count_if", &file]).fails(2, &["count_if needs --compare", "'> 30'"]);
    run(["count_if", "> x", &file]).fails(2, &["--compare of count_if is \"> x\"", "'> 30'"]);
    run(["max", "--compare", "> 3", &file])
        .fails(2, &["--compare is for count_if and find_first and find_last; max has none"]);
    run(["max", "> 3", &file]).fails(1, &["> 3", "no such file"]);
    let part = text(folder.path().join("part"));
    run(["count_if", ">= 30", "--partial", &part, &file]).text();
    assert_eq!(run(["merge", "-q", &part, &part]).text(), "4");
}

#[test]
fn options_in_parentheses_are_of_one_operator() {
    let folder = Folder::new();
    let file = folder.f32("x.npy", &[1.0, 3.0]);
    assert_eq!(run(["variance(ddof=1),std,max", "-q", &file]).text(), "2\n1\n3");
    assert_eq!(run(["variance(0), std", "-q", "--ddof", "1", &file]).text().lines().next(), Some("1"));
    let bins = run(["histogram(bins=2,range=0:4),count_if(== 3)", "-q", &file]).out;
    assert_eq!(bins, "bin 1\nbin 1\nbelow 0\nabove 0\nnan 0\n1\n");
    let y = folder.f32("y.npy", &[2.0, 2.0]);
    let grid = run(["histogram2d(bins=2,3,range=0:4)", "-q", &file, &y]).out;
    assert_eq!(grid, run(["histogram2d", "--bins", "2,3", "--range", "0:4", "-q", &file, &y]).out);
    let given = run(["histogram(edges=0,1,5)", "-q", &file]).out;
    assert_eq!(given, run(["histogram", "--edges", "0,1,5", "-q", &file]).out);
    run(["histogram(bins=3,integers=0:4)", &file]).fails(2, &["--integers"]);
    run(["std(ddof=1", &file]).fails(2, &["std(ddof=1: does not end with its parenthesis", "std(option=value)"]);
    run(["std(1)x", &file]).fails(2, &["std(1)x: does not end with its parenthesis"]);
    run(["max(3)", &file]).fails(2, &["max has no options of its own", "leave out the parentheses"]);
    run(["std(bins=3)", &file]).fails(2, &["std has no option bins, but ddof"]);
    run(["std(ddof=1,ddof=0)", &file]).fails(2, &["ddof is told twice"]);
    run(["std(0,1)", &file]).fails(2, &["--ddof of std is \"0,1\""]);
    run(["count_if(>1,<3)", &file]).fails(2, &["--compare of count_if is \">1,<3\""]);
    run(["count_if", "> 1", "--compare", "> 2", &file]).fails(2, &["told to compare twice"]);
    run(["std(x)", &file]).fails(2, &["--ddof of std is \"x\""]);
    run(["count_if()", &file]).fails(2, &["--compare of count_if is \"\""]);
}

/// Of the input under `dtype`, of the answer under `type`.
#[test]
fn json_tells_both_types() {
    let folder = Folder::new();
    let (ints, floats) = (folder.i32("i.npy", &[1, 2, 4]), folder.f32("f.npy", &[1.0, 2.5]));
    let wide = folder.file("w.npy", &npy("'<i8'", false, "(2,)", &[1i64, 2].map(i64::to_le_bytes).concat()));
    let none = folder.file("n.npy", &npy("'<i8'", false, "(0,)", &[]));
    let types = |args: &[&str]| {
        let json = run_where("auto", args.iter().copied().chain(["--json"])).json();
        (json["dtype"].clone(), json["type"].clone())
    };
    for (args, dtype, of) in [
        (vec!["sum", &ints], "i32", json!("i64")),
        (vec!["sum", &wide], "i64", json!("i128")),
        (vec!["sumsq", "--rows", "1", &ints], "i32", json!("u128")),
        (vec!["sum", "--rows", "3", &none], "i64", json!("i128")),
        (vec!["mean", &ints], "i32", json!("f64")),
        (vec!["max", &floats], "f32", json!("f32")),
        (vec!["any", &floats], "f32", json!("bool")),
        (vec!["max", "--map", "f32(x) * 0.5", &ints], "i32", json!("f32")),
        (vec!["max", "--rows", "3", "--map", "x > 1", &ints], "i32", json!("u32")),
        (vec!["softmax_terms", &floats], "f32", json!("f32")),
        (vec!["histogram", "--bins", "2", &floats], "f32", json!("u64")),
        (vec!["top", "--k", "2", &ints], "i32", json!("i32")),
    ] {
        assert_eq!(types(&args), (json!(dtype), of), "{args:?}");
    }
    let (_, stats) = types(&["stats", &floats]);
    let want = json!({"count": "u64", "nan_count": "u64", "sum": "f32", "mean": "f64", "std": "f64", "min": "f32", "max": "f32"});
    assert_eq!(stats, want);
}

/// Extremes, where they are, and what is found are numbers of the file; bits of halves are four digits.
#[test]
fn narrow_elements_are_found_as_they_are_stored() {
    let folder = Folder::new();
    let file = |descr: &str, bytes: &[u8]| {
        let count = bytes.len() / descr[3..4].parse::<usize>().unwrap();
        folder.file(&format!("{}.npy", &descr[1..4]), &npy(descr, false, &format!("({count},)"), bytes))
    };
    let halves = [3.5f32, -0.25, 1.0].map(half::f16::from_f32).map(|x| x.to_le_bytes()).concat();
    for (file, name, numbers, least) in [
        (file("'|u1'", &[7, 255, 0]), "u8", json!([7, 255, 0]), json!(0)),
        (file("'|i1'", &[7, 255, 128]), "i8", json!([7, -1, -128]), json!(-128)),
        (file("'>u2'", &[1, 0, 255, 254]), "u16", json!([256, 65534]), json!(256)),
        (file("'<i2'", &[0, 128, 1, 0]), "i16", json!([-32768, 1]), json!(-32768)),
        (file("'<f2'", &halves), "f16", json!([3.5, -0.25, 1.0]), json!(-0.25)),
        (file("'|b1'", &[1, 0, 1]), "bool", json!([true, false, true]), json!(false)),
    ] {
        let json = |args: &[&str]| run(args.iter().copied().chain(["--json", &file])).json();
        let found = json(&["min,argmin,find_first(> -100000),sum"]);
        assert_eq!(
            (&found["dtype"], &found["count"]),
            (&json!(name), &json!(numbers.as_array().unwrap().len())),
            "{name}"
        );
        for operator in ["min", "argmin", "find_first(compare=> -100000)"] {
            let answer = &found["answers"][operator.split('(').next().unwrap()];
            assert_eq!(answer["type"], name, "{operator} of {name}: {found}");
        }
        assert_eq!(found["answers"]["min"]["value"], least, "{name}");
        assert_ne!(found["answers"]["sum"]["type"], name);
        let each = json(&["max", "--rows", "1"]);
        assert_eq!((&each["value"], &each["type"]), (&numbers, &json!(name)));
        let best = json(&["bottom", "--k", "1"]);
        assert_eq!((&best["value"][0], &best["type"]), (&least, &json!(name)));
        // Of several numbers those that have a place; stats of f16 are over f32.
        let stats = json(&["stats"]);
        let of = if name == "f16" { "f32" } else { name };
        assert_eq!((&stats["type"]["min"], &stats["value"]["min"]), (&json!(of), &least), "{stats}");
        assert_ne!(stats["type"]["sum"], name);
        assert!(stats["value"]["count"].is_u64());
        // What a map makes is none of them.
        assert_ne!(json(&["max", "--map", "x > 1"])["type"], name);
        // An array of them is one of their type, which reads back.
        let out = folder.file("out.npy", &[]);
        run(["max", "-q", "--rows", "1", "--force", "--output", &out, &file]);
        assert_eq!(run(["max", "--json", "--rows", "1", &out]).json()["value"], numbers, "{name}");
        assert_eq!(run(["min", "--json", &out]).json()["dtype"], name);
        assert!(run(["min", &file]).text().contains(&format!(" {name} elements")), "{name}");
    }
    let halves = run_with(["max", "--json", "--dtype", "bf16"], &[0x80, 0x3f, 0x20, 0x40]).json();
    assert_eq!((&halves["value"], &halves["bits"], &halves["type"]), (&json!(2.5), &json!("4020"), &json!("bf16")));
    let halves = run_with(["max", "--json", "--dtype", "f16"], &[0x00, 0x3c, 0x00, 0x41]).json();
    assert_eq!((&halves["value"], &halves["bits"], &halves["type"]), (&json!(2.5), &json!("4100"), &json!("f16")));
    // Of files of two types the one that has the numbers of both.
    let two = run(["max", "--json", &file("'|u1'", &[7]), &file("'<u2'", &[9, 0])]).json();
    assert_eq!((&two["value"], &two["dtype"], &two["type"]), (&json!(9), &json!("u32"), &json!("u32")));
}

#[test]
fn json_fields_keep_order_and_types() {
    let folder = Folder::new();
    let done = run(["sum", "--json", &folder.f32("x.npy", &[0.1])]);
    assert!(done.out.contains("\"value\":0.10000000149011612,\"bits\":\"3dcccccd\""), "{}", done.out);
    let json = done.json();
    let mut keys = vec!["operator", "dtype", "count", "value", "bits", "type", "exact", "method", "adapter", "backend"];
    // How a device was asked; the CPU engine has nothing to tell there.
    keys.extend(json["launch"].is_string().then_some("launch"));
    keys.push("seconds");
    assert_eq!(keys.contains(&"launch"), adapter() != "cpu", "{}", done.out);
    let places: Vec<_> = keys.iter().map(|key| done.out.find(&format!("\"{key}\":")).unwrap()).collect();
    assert!(places.is_sorted(), "{}", done.out);
    assert_eq!(json.as_object().unwrap().len(), keys.len());
    assert!(json["adapter"].is_string() && json["backend"].is_string());
    for time in ["read", "total"] {
        assert!(json["seconds"][time].is_number(), "{json}");
    }
    for time in ["upload", "kernel"] {
        assert!(json["seconds"][time].is_number() || json["seconds"][time].is_null(), "{json}");
    }
}

#[test]
fn json_writes_what_json_has_not_as_strings() {
    let folder = Folder::new();
    let with = |x: f32| run(["max", "--json", &folder.f32("x.npy", &[x])]).json();
    assert_eq!((&with(f32::NAN)["value"], &with(f32::NAN)["bits"]), (&json!("nan"), &json!("7fc00000")));
    assert_eq!(with(f32::INFINITY)["value"], "inf");
    assert_eq!(with(f32::NEG_INFINITY)["value"], "-inf");
    assert_eq!(with(f32::MIN_POSITIVE)["value"].as_f64().map(|x| x as f32), Some(f32::MIN_POSITIVE));
    let big = folder.file("big.u32", &[0xff; 4 * 8]);
    let small = run(["sum", "--json", "--dtype", "u32", &big]).json();
    assert_eq!((&small["value"], small.get("strings")), (&json!(8 * u64::from(u32::MAX)), None));
    // Integers that readers of f64 alone would round: as text too.
    let large = run(["sum", "--json", "--dtype", "u64", &big]).json();
    assert_eq!(large["strings"], json!({"value": (u128::from(u64::MAX) * 4).to_string()}));
    assert_eq!(run(["minmax", "--json", &folder.f32("y.npy", &[0.1])]).json()["value"]["max"], f64::from(0.1f32));
}

#[test]
fn empty_arrays_have_empty_answers() {
    let folder = Folder::new();
    let file = folder.file("empty.npy", &npy("'<f4'", false, "(3, 0)", b""));
    let value = |name: &str| run([name, "--json", &file]).json()["value"].clone();
    assert_eq!(value("sum"), 0.0);
    assert_eq!(value("product"), 1.0);
    assert_eq!(value("mean"), Value::Null);
    assert_eq!((value("any"), value("all")), (json!(false), json!(true)));
    let json = run(["argmin", "--json", &file]).json();
    assert_eq!((&json["value"], json.get("index"), &json["count"]), (&Value::Null, Some(&Value::Null), &json!(0)));
    let stats = run(["stats", "--json", &file]).json();
    assert_eq!(stats["index"], json!({"min": null, "max": null}));
    assert_eq!(run(["min", "-q", &file]).text(), "none");
    assert_eq!(run(["min", "-q"].map(String::from).iter().chain([&file, &file])).text(), "none");
}

#[test]
fn quiet_gives_values_only() {
    let folder = Folder::new();
    let file = folder.f32("x.npy", &[8.0, 6.0, 7.0, 5.0, 3.0, 0.0, 9.0]);
    assert_eq!(run(["sum", "--quiet", &file]).out, "38\n");
    assert_eq!(run(["minmax", "-q", &file]).out, "min 0\nmax 9\n");
    assert_eq!(run(["argmax", "-q", &file]).out, "9 6\n");
    assert_eq!(run(["sum", "-q", &folder.f32("tiny.npy", &[1e-30])]).out, "1e-30\n");
    assert!(run(["stats", "-q", &file]).out.ends_with("\nmin 0 5\nmax 9 6\n"));
}

#[test]
fn people_get_a_table_and_a_note() {
    let folder = Folder::new();
    let floats = folder.f32("x.npy", &[1.0, 2.0]);
    let done = run(["sum", &floats]);
    assert!(done.text().contains("│ sum      ┆     3 │") && done.out.contains("2 f32 elements"), "{}", done.out);
    assert!(done.out.contains("note: exact, rounded once"), "{}", done.out);
    assert!(done.err.is_empty(), "{}", done.err);
    assert!(run(["sum", "--fast", &floats]).out.contains("note: fast, accumulated in f32"));
    assert!(run(["product", &floats]).out.contains("note: accumulated in f32\n"));
    assert!(run(["dot", &floats, &floats]).out.contains("2 pairs of f32"));
    assert!(!run(["max", &floats]).out.contains("note:"));
    assert!(!run(["sum", &folder.i32("y.npy", &[1])]).out.contains("note:"));
}

#[test]
fn example_data_answers_as_its_readme_says() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/nyc-weather-2013-");
    let visibility = run(["stats", "--json", &format!("{folder}visibility.npy")]).json();
    assert_eq!(visibility["count"], 26115);
    assert_eq!(visibility["index"], json!({"min": 9401, "max": 0}));
    assert!((visibility["value"]["mean"].as_f64().unwrap() - 9.255372008419963).abs() < 1e-4);
    assert!((visibility["value"]["std"].as_f64().unwrap() - 2.0550126166999543).abs() < 1e-4);
    let temperature = run(["argmin", "--json", &format!("{folder}temperature.npy")]).json();
    assert_eq!((&temperature["value"], &temperature["index"]), (&json!("nan"), &json!(5591)));
}
