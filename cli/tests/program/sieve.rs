//! Elements that are left out: NaN, by masks, by comparisons; each against the same numbers without them.

use crate::common::*;
use serde_json::{Value, json};

fn f64s(folder: &Folder, name: &str, numbers: &[f64]) -> String {
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    folder.file(name, &npy("'<f8'", false, &format!("({},)", numbers.len()), &bytes))
}

/// A few thousand numbers, some of them NaN.
fn numbers() -> Vec<f32> {
    let number = |at: usize| ((at * 7919) % 1009) as f32 - 500.0;
    (0..5000).map(|at| if at % 7 == 3 || at > 4990 { f32::NAN } else { number(at) }).collect()
}

/// Every second number is left out: more than four hundred thousand places in a share of 8 MiB.
#[test]
fn places_among_numbers_that_are_left_out_take_little_memory() {
    let folder = Folder::new();
    let bytes: Vec<u8> = (0..800_000u32).map(|at| (at % 2 * (1 + at / 400_001)) as u8).collect();
    let file = folder.file("x.npy", &npy("'|u1'", false, "(800000,)", &bytes));
    let with = |operator: &str| run([operator, "--where", "> 0", "--memory", "8MiB", "-q", &file]).out;
    assert_eq!((with("argmin"), with("argmax")), ("1 1\n".into(), "2 400001\n".into()));
    assert_eq!(with("argmax_last"), "2 799999\n");
}

#[test]
fn nan_is_left_out_and_counted() {
    let folder = Folder::new();
    let all = numbers();
    let kept: Vec<f32> = all.iter().copied().filter(|x| !x.is_nan()).collect();
    let (file, plain) = (folder.f32("x.npy", &all), folder.f32("plain.npy", &kept));
    for name in ["sum", "mean", "variance", "min", "minmax", "stats", "count", "logsumexp", "hash"] {
        let sifted = run([name, "--nan", "ignore", "--json", &file]).json();
        let want = run([name, "--json", &plain]).json();
        let left_out = (all.len() - kept.len()) as u64;
        assert_eq!(sifted["count"], json!(kept.len()), "{name}");
        assert_eq!((&sifted["nan_left_out"], sifted.get("others_left_out")), (&json!(left_out), None), "{sifted}");
        match name {
            // Places are those among all numbers.
            "stats" => assert_eq!(sifted["value"]["sum"], want["value"]["sum"]),
            _ => assert_eq!(sifted["value"], want["value"], "{name}"),
        }
        assert_eq!(want.get("nan_left_out"), None);
    }
    let found = run(["argmax", "--nan", "ignore", "--json", &file]).json();
    let largest = kept.iter().copied().fold(f32::MIN, f32::max);
    assert_eq!(found["value"], json!(largest));
    assert_eq!(found["index"], json!(all.iter().position(|&x| x == largest)), "{found}");
    let none = folder.f32("none.npy", &[f32::NAN, f32::NAN]);
    assert_eq!(run(["max", "--nan", "ignore", "--json", &none]).json()["value"], Value::Null);
    assert!(run(["sum", "--nan", "ignore", &none]).text().contains("left out: 2 NaN"));
    assert!(run(["sum", "--nan", "ignore", "-q", &none]).err.contains("left out: 2 NaN"));
    // Whole numbers have none.
    let ints = folder.i32("i.npy", &[1, 2]);
    assert_eq!(run(["sum", "--nan", "ignore", "-q", &ints]).text(), "3");
}

#[test]
fn the_first_nan_is_an_error() {
    let folder = Folder::new();
    let file = folder.f32("x.npy", &numbers());
    run(["sum", "--nan", "error", &file])
        .fails(1, &[&file, "number 3 of all that are read, counted from 0, is NaN", "--nan ignore"]);
    let clean = folder.f32("y.npy", &[1.0, 2.0]);
    assert_eq!(run(["sum,max", "--nan", "error", "-q", &clean]).out, "3.0\n2.0\n".replace(".0", ""));
    assert_eq!(run(["sum", "--nan", "propagate", "-q", &file]).text(), run(["sum", "-q", &file]).text());
}

/// Options, and which places they let through.
type Case<'a> = (&'a [&'a str], &'a dyn Fn(usize) -> bool);

#[test]
fn masks_and_comparisons_leave_out() {
    let folder = Folder::new();
    let values: Vec<f64> = (0..4000).map(|at| f64::from((at * 31) % 101)).collect();
    let flags: Vec<f32> = (0..4000).map(|at| if at % 3 == 0 { 0.0 } else { 2.5 }).collect();
    let file = f64s(&folder, "x.npy", &values);
    let mask = folder.f32("mask.npy", &flags);
    let bools: Vec<u8> = flags.iter().map(|&flag| u8::from(flag != 0.0)).collect();
    let bool_mask = folder.file("bools.npy", &npy("'|b1'", false, "(4000,)", &bools));
    let sum = |holds: &dyn Fn(usize) -> bool| (0..4000).filter(|&at| holds(at)).map(|at| values[at]).sum::<f64>();
    let count = |holds: &dyn Fn(usize) -> bool| (0..4000).filter(|&at| holds(at)).count();
    let by_file = format!("{mask} > 2");
    let cases: [Case; 6] = [
        (&["--mask", &mask], &|at| flags[at] != 0.0),
        (&["--mask", &bool_mask], &|at| flags[at] != 0.0),
        (&["--where", "> 50"], &|at| values[at] > 50.0),
        (&["--where", "!=7"], &|at| values[at] != 7.0),
        (&["--where", &by_file], &|at| flags[at] > 2.0),
        (&["--mask", &mask, "--where", "<= 50"], &|at| flags[at] != 0.0 && values[at] <= 50.0),
    ];
    for (options, holds) in cases {
        let json = run(["sum", "--json", &file].iter().chain(options)).json();
        assert_eq!((&json["value"], &json["count"]), (&json!(sum(holds)), &json!(count(holds))), "{options:?}");
        assert_eq!(json["others_left_out"], json!(4000 - count(holds)), "{options:?}");
        let found = run(["argmax", "--json", &file].iter().chain(options)).json();
        let largest = (0..4000).filter(|&at| holds(at)).map(|at| values[at]).fold(f64::MIN, f64::max);
        let first = (0..4000).find(|&at| holds(at) && values[at] == largest);
        assert_eq!((&found["value"], &found["index"]), (&json!(largest), &json!(first)), "{options:?}");
    }
    // The bins of a histogram lie over what counts.
    let floats = folder.f32("f.npy", &values.iter().map(|&x| x as f32).collect::<Vec<_>>());
    let doubles = run_where("auto", ["histogram", "--bins", "2", "--where", "> 50", "--json", &file]);
    for bins in [doubles, run(["histogram", "--bins", "2", "--where", "> 50", "--json", &floats])] {
        let bins = bins.json();
        assert_eq!((&bins["edges"][0], &bins["value"]["below"]), (&json!(51.0), &json!(0)), "{bins}");
    }
}

/// A number is rounded to the type of the file, to whatever its elements are widened.
#[test]
fn halves_compare_as_halves() {
    let folder = Folder::new();
    let halves = [0.1, 0.2, 0.1, 7.0].map(half::f16::from_f32);
    let bytes: Vec<u8> = halves.iter().flat_map(|x| x.to_bits().to_le_bytes()).collect();
    let file = folder.file("h.npy", &npy("'<f2'", false, "(4,)", &bytes));
    let chosen = ["--where", "== 0.1", "--json", &file];
    let tenths = json!(2);
    assert_eq!(run(["count"].iter().chain(&chosen)).json()["value"], tenths);
    assert_eq!(run(["count", "--map", "x"].iter().chain(&chosen)).json()["value"], tenths);
    assert_eq!(run(["argmax", "--map", "f32(i)"].iter().chain(&chosen)).json()["index"], tenths);
    assert_eq!(run(["count,variance"].iter().chain(&chosen)).json()["answers"]["count"]["value"], tenths);
    let told = ["--compare", "== 0.1", "--json", &file];
    assert_eq!(run(["count_if"].iter().chain(&told)).json()["value"], tenths);
    let listed = run(["count_if,find_last,variance"].iter().chain(&told)).json();
    assert_eq!((&listed["answers"]["count_if"]["value"], &listed["answers"]["find_last"]["index"]), (&tenths, &tenths));
    // What is computed of them is f32.
    assert_eq!(run(["count_if", "--map", "x"].iter().chain(&told)).json()["value"], json!(0));
}

/// So are those of bf16, which are read as f32; among f32 they compare as those do.
#[test]
fn numbers_of_bf16_compare_as_such() {
    let folder = Folder::new();
    let tenths: Vec<u8> =
        [0.1, 0.2, 0.1, 7.0].iter().flat_map(|&x| half::bf16::from_f32(x).to_bits().to_le_bytes()).collect();
    let file = folder.file("x.bin", &tenths);
    let by = |args: &[&str]| run(args.iter().copied().chain(["--dtype", "bf16", "--json", &file])).json();
    for (operators, told) in [("count", "--where"), ("count,variance", "--where"), ("count_if,variance", "--compare")] {
        let found = by(&[operators, told, "== 0.1"]);
        let name = operators.split(',').next().unwrap_or_default();
        let value = if operators == name { &found["value"] } else { &found["answers"][name]["value"] };
        assert_eq!(value, &json!(2), "{operators} {told}");
    }
    assert_eq!(by(&["count_if", "== 0.1"])["value"], json!(2));
    assert_eq!(by(&["find_last", "--compare", "== 0.1"])["index"], json!(2));
    assert_eq!(by(&["sum", "--rows", "2", "--where", "== 0.2"])["left_out"], json!([1, 2]));
    assert_eq!(run_with(["count_if", "== 0.1", "--dtype", "bf16", "-q"], &tenths).text(), "2");
    assert_eq!(run_with(["count_if", "== 0.1", "--dtype", "bf16", "-q", "--column", "1"], b"0.1\n0.2\n").text(), "1");
    // What is computed of them is f32.
    assert_eq!(by(&["count_if", "--map", "x", "--compare", "== 0.1"])["value"], json!(0));
    let tensor = |name: &str, dtype: &str, data: &[u8], shape: usize| {
        let header = format!(r#"{{"t":{{"dtype":"{dtype}","shape":[{shape}],"data_offsets":[0,{}]}}}}"#, data.len());
        folder.file(name, &[&(header.len() as u64).to_le_bytes(), header.as_bytes(), data].concat())
    };
    let narrow = tensor("n.safetensors", "BF16", &tenths, 4);
    let wide = tensor("w.safetensors", "F32", &raw_f32(&[0.1]), 1);
    assert_eq!(run(["count_if", "== 0.1", "-q", &narrow, &narrow]).text(), "4");
    assert_eq!(run(["count_if", "== 0.1", "-q", &narrow, &wide]).text(), "1");
    // Those of another file, too.
    let numbers = folder.i32("x.npy", &[1, 2, 4, 8]);
    assert_eq!(run(["sum", "-q", "--where", &format!("{narrow} == 0.1"), &numbers]).text(), "5");
}

#[test]
fn groups_pairs_and_partials() {
    let folder = Folder::new();
    let (all, keys) = (numbers(), (0..5000).map(|at| at % 4).collect::<Vec<i32>>());
    let (file, by) = (folder.f32("x.npy", &all), folder.i32("k.npy", &keys));
    let grouped = run(["max", "--nan", "ignore", "--group-by", &by, "--groups", "4", "--json", &file]).json();
    let want: Vec<f32> = (0..4)
        .map(|key| {
            all.iter().zip(&keys).filter(|&(x, &k)| k == key && !x.is_nan()).map(|(&x, _)| x).fold(f32::MIN, f32::max)
        })
        .collect();
    assert_eq!(grouped["value"], json!(want), "{grouped}");
    let places = run(["argmax", "--nan", "ignore", "--group-by", &by, "--groups", "4", "--json", &file]).json();
    let first = |key: i32| (0..5000).position(|at| keys[at] == key && all[at] == want[key as usize]);
    assert_eq!(places["index"], json!((0..4).map(first).collect::<Vec<_>>()), "{places}");
    let ones = folder.f32("one.npy", &[1.0, f32::NAN, 2.0]);
    let twos = folder.f32("two.npy", &[3.0, 1.0, 4.0]);
    assert_eq!(run(["dot", "--nan", "ignore", "-q", &ones, &twos]).text(), "11");
    let half = format!("{twos} > 3");
    assert_eq!(run(["dot", "--where", &half, "-q", &ones, &twos]).text(), "8");
    let part = folder.path().join("p.part").to_string_lossy().to_string();
    run(["sum", "--nan", "ignore", "--partial", &part, &ones]).text();
    assert_eq!(run(["merge", "-q", &part]).text(), "3");
}

#[test]
fn what_cannot_be_left_out_is_told() {
    let folder = Folder::new();
    let (file, short) = (folder.f32("x.npy", &numbers()), folder.f32("s.npy", &[1.0, 0.0]));
    run(["sum", "--mask", &short, &file]).fails(1, &["s.npy", "2", "5000"]);
    let long = folder.f32("l.npy", &[1.0; 6000]);
    run(["sum", "--mask", &long, &file]).fails(1, &["l.npy", "6000", "5000"]);
    let by_mask = ["sum", "--rows", "10", "--nan", "ignore", "--mask", &short, &file];
    run(by_mask).fails(2, &["--rows goes by the places of numbers, and --mask"]);
    let by_file = format!("{short} > 1");
    run(["sum", "--axis", "0", "--where", &by_file, &file])
        .fails(2, &["--axis goes by the places", "--where with a FILE"]);
    run(["sum", "--axis", "0", "--where", "> 1", "--partial", "p", &file])
        .fails(2, &["a partial of what goes by the places"]);
    run(["sum", "--where", "3", &file]).fails(2, &["--where is \"3\"", "'> 30'"]);
    run(["dot", "--where", "> 3", &file, &short]).fails(2, &["takes pairs", "--where 'FILE > 3'"]);
    run(["argmax", "--nan", "ignore", "--partial", "p", &file]).fails(2, &["goes by the places of numbers"]);
    run(["merge", "--nan", "ignore", "--mask", &short, "--where", "> 1", &file])
        .fails(2, &["leave out --nan and --mask and --where"]);
    run(["adapters", "--where", "> 3"]).fails(2, &["leave out --where"]);
    run(["sum", "--where", "gone.npy > 3", &file]).fails(1, &["gone.npy: no such file"]);
    run(["histogram", "--weights", &file, "--bins", "2", "--range", "0:1", "--nan", "ignore", &short])
        .fails(2, &["--weights goes by the places of numbers"]);
}

/// Each row, column, segment and run as it would be alone; places stay those in the row.
#[test]
fn answers_along_axes_leave_out_in_place() {
    let folder = Folder::new();
    let (all, nan) = (numbers(), f32::NAN);
    let header = |values: &[f32], shape: &str| {
        npy("'<f4'", false, shape, &values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>())
    };
    let file = folder.file("x.npy", &header(&all, "(50, 100)"));
    let holds = |x: &f32, option: &str| if option == "--nan" { !x.is_nan() } else { *x > 3.0 };
    for (option, how) in [("--nan", "ignore"), ("--where", "> 3")] {
        let told = |operator: &str, division: &[&str], file: &str| {
            let asked = [operator, option, how, "--json"];
            run(asked.into_iter().chain(division.iter().copied()).chain([file])).json()
        };
        let check = |division: &[&str], rows: &[Vec<f32>], file: &str| {
            let found = told("sum,argmax,mean", division, file);
            let kept: Vec<Vec<f32>> =
                rows.iter().map(|row| row.iter().copied().filter(|x| holds(x, option)).collect()).collect();
            let sums: Vec<f64> = kept.iter().map(|row| row.iter().map(|&x| f64::from(x)).sum()).collect();
            let got: Vec<f64> = found["answers"]["sum"]["value"]
                .as_array()
                .expect("sums")
                .iter()
                .map(|x| x.as_f64().expect("a sum"))
                .collect();
            assert!(got.iter().zip(&sums).all(|(a, b)| (a - b).abs() <= 1e-4 * b.abs()), "{division:?} {found}");
            assert_eq!(got.len(), sums.len());
            let indices: Vec<Option<usize>> = rows
                .iter()
                .map(|row| {
                    let largest = row.iter().filter(|x| holds(x, option)).copied().reduce(f32::max)?;
                    row.iter().position(|&x| x == largest)
                })
                .collect();
            assert_eq!(found["answers"]["argmax"]["index"], json!(indices), "{division:?}");
            let left_out: Vec<usize> = rows.iter().zip(&kept).map(|(row, kept)| row.len() - kept.len()).collect();
            assert_eq!(found["left_out"], json!(left_out), "{division:?}");
            let count = if option == "--nan" { "nan_left_out" } else { "others_left_out" };
            assert_eq!(found[count], json!(left_out.iter().sum::<usize>()), "{division:?}");
            for (mean, kept) in found["answers"]["mean"]["value"].as_array().expect("means").iter().zip(&kept) {
                assert_eq!(mean.is_null(), kept.is_empty(), "{division:?}");
            }
        };
        let rows: Vec<Vec<f32>> = all.chunks(100).map(<[f32]>::to_vec).collect();
        let columns: Vec<Vec<f32>> = (0..100).map(|c| rows.iter().map(|row| row[c]).collect()).collect();
        check(&["--axis", "1"], &rows, &file);
        check(&["--axis", "0"], &columns, &file);
        check(&["--rows", "250"], &all.chunks(250).map(<[f32]>::to_vec).collect::<Vec<_>>(), &file);
        let ends = [0i32, 7, 7, 1200, 5000];
        let offsets = folder.i32("o.npy", &ends);
        let parts: Vec<Vec<f32>> =
            ends.windows(2).map(|pair| all[pair[0] as usize..pair[1] as usize].to_vec()).collect();
        check(&["--segments", &offsets], &parts, &file);
        let keys: Vec<i32> = (0..5000).map(|at| at / 1300).collect();
        let by = folder.i32("k.npy", &keys);
        check(&["--by", &by], &all.chunks(1300).map(<[f32]>::to_vec).collect::<Vec<_>>(), &file);
    }
    // A function that goes by places in the whole goes by those among all numbers.
    let whole = folder.f32("w.npy", &[nan, 5.0, nan, 7.0]);
    let placed = ["max", "--map", "select(x, f32(i), x > 4)", "--nan", "ignore", "--json", &whole];
    let found = run(placed).json();
    assert_eq!((&found["value"], &found["count"], &found["nan_left_out"]), (&json!(3.0), &json!(2), &json!(2)));
    let none = folder.f32("n.npy", &[nan, nan, 1.0, nan]);
    let rows = run(["max", "--rows", "2", "--nan", "ignore", "--json", &none]).json();
    assert_eq!((&rows["value"], &rows["left_out"]), (&json!([null, 1.0]), &json!([2, 1])));
    let told = run(["max", "--rows", "2", "--nan", "ignore", &none]);
    assert!(told.text().contains("left out: 3 NaN"), "{}", told.text());
    let csv = run(["max", "--rows", "2", "--nan", "ignore", "--csv", &none]);
    assert!(csv.err.contains("left out: 3 NaN"), "{}", csv.err);
    assert_eq!(csv.out.lines().count(), 3, "{}", csv.out);
}
