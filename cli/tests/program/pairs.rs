//! Two inputs of every type as pairs, and histograms of numbers of 64 bits.

use crate::common::*;
use serde_json::json;

/// An array of these numbers, which the type holds.
fn array(folder: &Folder, descr: &str, numbers: &[i64]) -> String {
    let bytes = |&x: &i64| match descr {
        "<f8" => (x as f64).to_le_bytes().to_vec(),
        "<f4" => (x as f32).to_le_bytes().to_vec(),
        "<f2" => half::f16::from_f64(x as f64).to_le_bytes().to_vec(),
        ">f8" => (x as f64).to_be_bytes().to_vec(),
        _ => {
            let size = descr[2..].parse().expect("a size");
            let mut low: Vec<u8> = x.to_le_bytes().into_iter().take(size).collect();
            if descr.starts_with('>') {
                low.reverse();
            }
            low
        }
    };
    let bytes: Vec<u8> = numbers.iter().flat_map(bytes).collect();
    let name = format!("{}{}-{}.npy", numbers.len(), descr.replace(['<', '>', '|'], ""), numbers[0].unsigned_abs());
    folder.file(&name, &npy(&format!("'{descr}'"), false, &format!("({},)", numbers.len()), &bytes))
}

/// Runs it where it is computed: pairs of f64 and histograms of 64 bits are the CPU engine's.
fn here<A: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = A>) -> Done {
    run_where("auto", args)
}

const TYPES: [&str; 13] = ["<f8", ">f8", "<f4", "<f2", "<i8", ">i8", "<i4", ">i4", "<i2", "|i1", "<u8", "<u4", "|u1"];

#[test]
fn of_all_types_that_have_one_in_common() {
    let folder = Folder::new();
    let floats = |descr: &str| descr.contains('f');
    let [wide, unsigned] = [|descr: &str| &descr[1..] == "i8", |descr: &str| &descr[1..] == "u8"];
    for x in TYPES {
        let xs = array(&folder, x, &[3, 1, 4, 1, 5]);
        for y in TYPES {
            let ys = array(&folder, y, &[2, 7, 1, 8, 2]);
            let dot = here(["dot", "--json", &xs, &ys]);
            let small = |descr: &str| !floats(descr) && !wide(descr) && !unsigned(descr);
            let signed = |descr: &str| descr.contains('i');
            let want = match () {
                () if floats(x) && floats(y) && !x.contains('8') && !y.contains('8') => "f32x2",
                () if floats(x) && floats(y) || floats(x) && small(y) || small(x) && floats(y) => "f64x2",
                () if floats(x) || floats(y) || unsigned(x) && signed(y) || signed(x) && unsigned(y) => {
                    dot.fails(1, &["there is no type that has the numbers of both exactly", &xs, &ys]);
                    continue;
                }
                () if signed(x) || signed(y) => "i64x2",
                () => "u64x2",
            };
            let json = dot.json();
            assert_eq!(
                (json["value"].as_f64(), &json["dtype"], &json["count"]),
                (Some(35.0), &json!(want), &json!(5)),
                "{x} {y}"
            );
        }
    }
}

#[test]
fn what_numpy_has_by_default() {
    let folder = Folder::new();
    let doubles = |name: &str, numbers: &[f64]| {
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        folder.file(name, &npy("'<f8'", false, &format!("({},)", numbers.len()), &bytes))
    };
    let (x, y) = (doubles("x.npy", &[1e200, 1.0, -1e200, 0.5]), doubles("y.npy", &[1e100, 1.0, 1e100, 3.0]));
    let json = here(["dot", "--json", &x, &y]).json();
    assert_eq!((&json["value"], &json["exact"], &json["dtype"]), (&json!(2.5), &json!(true), &json!("f64x2")));
    assert!(here(["dot", &x, &y]).out.contains("4 pairs of f64"));
    let all = here(["covariance,correlation,weighted_mean,cosine", "--json", &y, &y]).json();
    assert_eq!(all["answers"]["correlation"]["value"], json!(1.0), "{all}");
    assert_eq!(all["answers"]["cosine"]["value"], json!(1.0), "{all}");
    // A column of text is of f64, and goes with whole numbers.
    let table = folder.file("t.csv", b"temp\n1.5\n2.5\n-1\n");
    let weights = folder.i32("w.npy", &[1, 1, 2]);
    assert_eq!(here(["weighted_mean", "-q", &table, &weights]).text(), "0.5");
    // Two columns of one table, or one of each of two; what is missing in either is left out by --nan, not by --missing.
    let table = folder.file("xy.csv", b"x,y,z\n1,2,7\n2,4,\n3,7,5\n");
    let of = |columns: &str, files: &[&String]| {
        here(["dot", "--columns", columns, "--json"].into_iter().chain(files.iter().map(|file| file.as_str()))).json()
    };
    for files in [&[&table][..], &[&table, &table]] {
        let json = of("x,y", files);
        assert_eq!((&json["value"], &json["count"]), (&json!(31.0), &json!(3)), "{json}");
    }
    let named = here(["dot", "--columns", "1,y", &table]).out;
    assert!(
        named.contains("3 pairs of f64") && named.contains("from 1 of ") && named.contains(" and y of "),
        "{named}"
    );
    here(["dot", "--columns", "x,z", &table]).fails(1, &["z", "is missing", "--missing nan"]);
    assert_eq!(
        here(["dot", "-q", "--columns", "x,z", "--missing", "nan", "--nan", "ignore", &table]).text().lines().next(),
        Some("22")
    );
    here(["dot", &table, &table]).fails(2, &["columns x, y, z", "--columns with two of them"]);
    here(["dot", "--columns", "x,y"]).fails(2, &["dot takes two FILEs", "there are 0"]);
    here(["dot", "--columns", "x,y", "-"]).fails(2, &["is read once", "write it to a file first"]);
    here(["dot", "--columns", "x,nowhere", &table]).fails(1, &["no", "nowhere"]);
    // A mask is of places in C order, in whatever order the numbers are stored.
    let by_columns: Vec<u8> =
        [0.0f64, 4.0, 1.0, 5.0, 2.0, 6.0, 3.0, 7.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let fortran = folder.file("f.npy", &npy("'<f8'", true, "(2, 4)", &by_columns));
    let mask = folder.file("m.npy", &npy("'|b1'", false, "(2, 4)", &[1, 1, 1, 1, 0, 0, 0, 0]));
    for options in [vec!["--mask".to_string(), mask.clone()], vec!["--where".to_string(), format!("{mask} > 0")]] {
        let options = options.iter().map(String::as_str);
        let masked = here(["dot", "-q"].into_iter().chain(options).chain([fortran.as_str(), &fortran]));
        assert_eq!(masked.text().lines().next(), Some("14"));
    }
    // Parts of pairs merge.
    let [first, second] = ["a.part", "b.part"].map(|name| folder.path().join(name).to_str().unwrap().to_string());
    here(["dot", "--partial", &first, &x, &y]);
    here(["dot", "--partial", &second, &x, &y]);
    assert_eq!(run(["merge", "-q", &first, &second]).text(), "5");
    // What is NaN in either goes, and what is missing is refused.
    let gaps = doubles("g.npy", &[f64::NAN, 1.0, 2.0, 3.0]);
    assert_eq!(here(["dot", "-q", "--nan", "ignore", &gaps, &gaps]).text().lines().next(), Some("14"));
    let far = folder.file("far.npy", &npy("'<i8'", false, "(3,)", &[i64::MIN; 3].map(i64::to_le_bytes).concat()));
    here(["dot", &far, &far]).fails(1, &["dot", "128"]);
}

#[test]
fn bins_of_numbers_of_64_bits() {
    let folder = Folder::new();
    let numbers: Vec<i64> = (0..1000).map(|i| i * i % 977 - 200).collect();
    let small = folder.i32("x.npy", &numbers.iter().map(|&x| x as i32).collect::<Vec<_>>());
    for descr in ["<f8", "<i8"] {
        let file = array(&folder, descr, &numbers);
        for range in [
            &["--bins", "7"][..],
            &["--bins", "7", "--range", "-200:500"],
            &["--edges", "-1,0,1,700"],
            &["--integers", "-200:776"],
        ] {
            let [wide, narrow] =
                [&file, &small].map(|file| here([&["histogram", "--json"], range, &[file.as_str()]].concat()).json());
            assert_eq!((&wide["value"], &wide["edges"]), (&narrow["value"], &narrow["edges"]), "{descr} {range:?}");
        }
        let table = here(["histogram2d", "--json", "--bins", "3", &file, &file]).json();
        assert_eq!((&table["count"], &table["shape"]), (&json!(1000), &json!([3, 3])), "{table}");
        let weighted = here(["histogram", "--json", "--bins", "7", "--weights", &file, &file]).json();
        let counted = here(["histogram", "--json", "--bins", "7", "--weights", &small, &small]).json();
        assert_eq!(weighted["value"]["bins"].as_array().map(Vec::len), Some(7));
        let sums = |json: &serde_json::Value| {
            json["value"]["bins"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(sums(&weighted), sums(&counted));
        // On a device, too.
        let counted = |adapter| run_where(adapter, ["histogram", "--json", "--bins", "7", &file]).json();
        let (device, host) = (counted("0"), counted("cpu"));
        assert_eq!((&device["value"], &device["backend"]), (&host["value"], &json!("vulkan")), "{device}");
    }
    let table = folder.file("t.csv", b"temp\n1.5\n2.5\n-1\n0.25\n");
    let json = here(["histogram", "--json", "--bins", "2", "--range", "-1:3", &table]).json();
    assert_eq!(json["value"]["bins"], json!([2, 2]));
}
