//! Exact by default: floats summed without rounding, the types that make it possible, and two inputs in pairs.

use crate::common::*;
use serde_json::{Value, json};

/// Numbers whose f32 sum depends on the way it is added, with what their exact sum rounds to.
const CANCELLING: [f32; 5] = [16_777_216.0, 1.0, 1.0, 1.0, -16_777_216.0];

/// A .npy file of 64-bit or 16-bit numbers, low byte first or last.
fn numbers<const N: usize>(folder: &Folder, kind: &str, big: bool, numbers: &[[u8; N]]) -> String {
    let order = if big { '>' } else { '<' };
    let bytes: Vec<u8> =
        numbers.iter().flat_map(|x| if big { x.iter().rev().copied().collect() } else { x.to_vec() }).collect();
    let header = format!("'{order}{kind}{N}'");
    folder.file(&format!("{kind}{N}{order}.npy"), &npy(&header, false, &format!("({},)", numbers.len()), &bytes))
}

fn f16s(folder: &Folder, big: bool, values: &[half::f16]) -> String {
    numbers(folder, "f", big, &values.iter().map(|x| x.to_bits().to_le_bytes()).collect::<Vec<_>>())
}

/// The text of a member, for numbers wider than what the parser keeps.
fn member<'a>(json: &'a str, name: &str) -> &'a str {
    let rest = json.split_once(&format!("\"{name}\":")).unwrap().1;
    &rest[..rest.find([',', '}']).unwrap()]
}

#[test]
fn sums_are_exact_unless_fast_is_asked_for() {
    let folder = Folder::new();
    // 4096 blocks of numbers that f32 loses beside 2^24.
    let large: Vec<f32> = (0..5 * 4096).map(|i| CANCELLING[i % 5]).collect();
    let file = folder.f32("x.npy", &large);
    let exact = run(["sum", "--json", &file]).json();
    assert_eq!((&exact["value"], &exact["exact"], &exact["method"]), (&json!(12288.0), &json!(true), &json!("exact")));
    assert_eq!((&exact["operator"], &exact["dtype"]), (&json!("sum"), &json!("f32")));
    let fast = run(["sum", "--fast", "--json", &file]).json();
    assert_eq!((&fast["exact"], &fast["method"], &fast["operator"]), (&json!(false), &json!("fast"), &json!("sum")));
    assert_ne!(fast["value"], exact["value"]);
    let mean = run(["mean", "--json", &file]).json();
    let bits = format!("{:08x}", 0.6f32.to_bits());
    assert_eq!((&mean["bits"], &mean["method"]), (&json!(bits), &json!("exact")), "{mean}");
    assert_eq!(run(["mean", "--fast", "--json", &file]).json()["method"], "fast");
}

#[test]
fn every_order_and_part_gives_the_same_bits() {
    let folder = Folder::new();
    let values: Vec<f32> = (0..30_000u32).map(|i| f32::from_bits(i.wrapping_mul(0x9e37_79b9) & 0xbfff_ffff)).collect();
    let reversed: Vec<f32> = values.iter().rev().copied().collect();
    let (front, back) = values.split_at(12_345);
    let whole = folder.f32("whole.npy", &values);
    for operator in ["sum", "mean", "sumsq", "norm2"] {
        let bits = |files: &[&str]| {
            let json = run([operator, "--json"].iter().chain(files)).json();
            assert_eq!((&json["exact"], &json["count"]), (&json!(true), &json!(30_000)), "{json}");
            json["bits"].clone()
        };
        let want = bits(&[&whole]);
        assert_eq!(bits(&[&folder.f32("reversed.npy", &reversed)]), want, "{operator}");
        assert_eq!(bits(&[&folder.f32("b.npy", back), &folder.f32("a.npy", front)]), want, "{operator}");
        let cpu = program().args([operator, "--json", "--adapter", "cpu", &whole]).output().unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&cpu.stdout).unwrap()["bits"], want, "{operator}");
    }
}

#[test]
fn methods_are_told_only_where_there_are_two() {
    let folder = Folder::new();
    let (floats, ints) = (folder.f32("f.npy", &[3.0, 4.0]), folder.i32("i.npy", &[3, 4]));
    let method = |args: &[&str]| run(args.iter().chain(&["--json"])).json()["method"].clone();
    for operator in ["norm2", "sumsq"] {
        assert_eq!(
            (method(&[operator, &floats]), method(&[operator, "--fast", &floats])),
            (json!("exact"), json!("exact"))
        );
    }
    assert_eq!(method(&["dot", &floats, &floats]), "exact");
    for args in [&["max", &floats][..], &["sum", &ints], &["sum", "--fast", &ints]] {
        assert_eq!(method(args), Value::Null, "{args:?}");
    }
    assert_eq!(run(["norm2", "-q", &floats]).text(), "5");
}

#[test]
fn doubles_are_summed_exactly() {
    let folder = Folder::new();
    let values = [1e300, 0.1, 5e-324, 0.2, -1e300, 0.3, -5e-324, 0.1];
    for big in [false, true] {
        let file = numbers(&folder, "f", big, &values.map(f64::to_le_bytes));
        for fast in [false, true] {
            let flags = if fast { &["--json", "--fast"][..] } else { &["--json"] };
            let sum = run(["sum", &file].iter().chain(flags)).json();
            // 0.1 + 0.2 + 0.3 + 0.1 as sums of doubles give 0.7000000000000001.
            assert_eq!(sum["value"].as_f64().map(f64::to_bits), Some(0.7f64.to_bits()), "{sum}");
            assert_eq!((&sum["dtype"], &sum["method"], &sum["count"]), (&json!("f64"), &json!("exact"), &json!(8)));
            assert_eq!(sum["bits"], format!("{:016x}", 0.7f64.to_bits()));
        }
        assert_eq!(run(["mean", "--json", &file]).json()["value"].as_f64(), Some(0.7 / 8.0));
        run(["wrapping_sum", &file])
            .fails(1, &[&file, "holds f64", "takes i32, u32, i64 and u64 only", "what takes f64: sum, product, min"]);
    }
    let raw: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    assert_eq!(run_with(["sum", "-q", "--dtype", "f64"], &raw).text(), "0.7");
    run_with(["sum", "--dtype", "f64"], &raw[..12]).fails(1, &["12 bytes", "multiple of 8"]);
}

/// Answers that numpy's default types are asked for most, told to the last digit.
#[test]
fn numbers_of_64_bits_are_answered_in_their_own_type() {
    let folder = Folder::new();
    let doubles = [2.5, -0.1, 1e300, -0.1, 5e-324, f64::NAN];
    let integers = [3, i64::MIN, -7, (1 << 53) + 1, i64::MIN];
    for big in [false, true] {
        let file = numbers(&folder, "f", big, &doubles[..5].iter().map(|x: &f64| x.to_le_bytes()).collect::<Vec<_>>());
        let told = |operator: &str| run([operator, "-q", &file]).text().to_string();
        let all = ["min", "max", "argmin", "argmax", "minmax", "count_nonzero", "any", "norm2"].map(told);
        assert_eq!(all, ["-0.1", "1e300", "-0.1 1", "1e300 2", "min -0.1\nmax 1e300", "5", "true", "1e300"]);
        let stats = run(["stats", "--json", &file]).json();
        let want =
            json!({"count": 5, "nan_count": 0, "sum": 1e300, "mean": 2e299, "std": 4e299, "min": -0.1, "max": 1e300});
        assert_eq!(
            (&stats["value"], &stats["index"], &stats["exact"]),
            (&want, &json!({"min": 1, "max": 2}), &json!(true))
        );
        let file = numbers(&folder, "i", big, &integers.map(i64::to_le_bytes));
        let told = |operator: &str| run([operator, "-q", &file]).text().to_string();
        let all = ["min", "argmax", "and", "or", "xor", "count_nonzero"].map(told);
        assert_eq!(all, ["-9223372036854775808", "9007199254740993 3", "0", "-5", "-9007199254740997", "5"]);
        assert_eq!(run(["mean,std", "-q", &file]).text(), "-3.687547374890962e18\n4.519983105715806e18");
    }
    let file = folder.file("nan.f64", &doubles.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>());
    assert_eq!(run(["argmax", "-q", "--dtype", "f64", &file]).text(), "nan 5");
    assert_eq!(run(["count_nan", "-q", "--dtype", "f64", &file]).text(), "1");
}

#[test]
fn wide_integers_are_summed_in_128_bits() {
    let folder = Folder::new();
    for big in [false, true] {
        let file = numbers(&folder, "i", big, &[i64::MIN, i64::MIN, i64::MIN, -1, 5].map(i64::to_le_bytes));
        let done = run(["sum", "--json", &file]);
        assert_eq!(member(&done.out, "value"), (i128::from(i64::MIN) * 3 + 4).to_string());
        let json = done.json();
        assert_eq!((&json["dtype"], &json["exact"], &json["count"]), (&json!("i64"), &json!(true), &json!(5)));
        let file = numbers(&folder, "u", big, &[u64::MAX, u64::MAX, 7].map(u64::to_le_bytes));
        let done = run(["sum", "--json", &file]);
        assert_eq!(member(&done.out, "value"), (u128::from(u64::MAX) * 2 + 7).to_string());
        assert_eq!(done.json()["dtype"], "u64");
        assert_eq!(run(["sum", "-q", &file]).text(), (u128::from(u64::MAX) * 2 + 7).to_string());
        assert_eq!(run(["mean", "-q", &file]).text(), "1.2297829382473034e19");
    }
    let raw: Vec<u8> = [-3i64, 1].iter().flat_map(|x| x.to_le_bytes()).collect();
    assert_eq!(run_with(["sum", "-q", "--dtype", "i64"], &raw).text(), "-2");
}

#[test]
fn raw_narrow_integers_are_widened() {
    let words: Vec<i16> = (0..5001).map(|i| (i * 7919 % 65536 - 32768) as i16).collect();
    let bytes: Vec<u8> = words.iter().flat_map(|x| x.to_le_bytes()).collect();
    let sums = [
        ("u8", bytes.iter().map(|&x| i64::from(x)).sum::<i64>(), bytes.len()),
        ("i8", bytes.iter().map(|&x| i64::from(x as i8)).sum(), bytes.len()),
        ("u16", words.iter().map(|&x| i64::from(x as u16)).sum(), words.len()),
        ("i16", words.iter().map(|&x| i64::from(x)).sum(), words.len()),
    ];
    for (name, sum, count) in sums {
        let json = run_with(["sum", "--json", "--dtype", name], &bytes).json();
        assert_eq!((&json["value"], &json["dtype"], &json["count"]), (&json!(sum), &json!(name), &json!(count)));
    }
    run_with(["sum", "--dtype", "i16"], &bytes[1..]).fails(1, &["i16"]);
    // A .npy file knows its own type.
    let folder = Folder::new();
    let file = numbers(&folder, "u", false, &[1u32.to_le_bytes()]);
    run(["sum", "--dtype", "u8", &file]).fails(1, &["is a .npy file of u32", "leave it out"]);
}

#[test]
fn halves_sum_as_if_widened() {
    let folder = Folder::new();
    let finite = (0..=u16::MAX).map(half::f16::from_bits).filter(|x| x.is_finite());
    // An odd number of them, that does not cancel.
    let values: Vec<half::f16> = finite.filter(|x| x.to_bits() % 3 != 1).skip(1).collect();
    assert!(values.len() % 2 == 1);
    let wide = folder.f32("wide.npy", &values.iter().map(|x| x.to_f32()).collect::<Vec<_>>());
    for (big, operator) in
        [false, true].into_iter().flat_map(|big| ["sum", "mean", "max", "norm2", "argmin"].map(|o| (big, o)))
    {
        let file = f16s(&folder, big, &values);
        let (narrow, wide) = (run([operator, "--json", &file]).json(), run([operator, "--json", &wide]).json());
        assert_eq!((&narrow["value"], &narrow["index"]), (&wide["value"], &wide["index"]), "{operator}");
        assert_eq!(narrow["dtype"], if operator == "norm2" { "f32" } else { "f16" }, "{operator}");
    }
    let file = f16s(&folder, false, &values);
    let fast = run(["sum", "--fast", "--json", &file]).json();
    assert_eq!((&fast["dtype"], &fast["method"]), (&json!("f32"), &json!("fast")));
    // Odd lengths in a row, and beside f32.
    let twice = run(["sum", "--json", &file, &file, &file]).json();
    let three = run(["sum", "--json", &wide, &wide, &wide]).json();
    assert_eq!((&twice["bits"], &twice["count"]), (&three["bits"], &three["count"]));
    let mixed = run(["sum", "--json", &file, &wide, &file]).json();
    assert_eq!((&mixed["bits"], &mixed["dtype"]), (&three["bits"], &json!("f32")));
    let strange = f16s(&folder, false, &[half::f16::INFINITY, half::f16::ONE]);
    assert_eq!(run(["sum", "-q", &strange]).text(), "inf");
}

#[test]
fn odd_parts_of_halves_join_in_little_memory() {
    let bytes: Vec<u8> =
        (0..700_001u32).flat_map(|i| half::f16::from_f32((i % 64) as f32).to_bits().to_le_bytes()).collect();
    let want: u32 = (0..700_001u32).map(|i| i % 64).sum();
    let folder = Folder::new();
    let file = folder.file("h.bin", &bytes);
    let args = ["sum", "-q", "--memory", "1MiB", "--dtype", "f16"];
    assert_eq!(run_with(args, &bytes).text(), (want as f32).to_string());
    assert_eq!(run(args.iter().chain(&[file.as_str(), &file])).text(), ((2 * want) as f32).to_string());
}

#[test]
fn dot_pairs_two_files() {
    let folder = Folder::new();
    let x = folder.f32("x.npy", &[1e20, 1.0, -1e20, 0.5]);
    let y = folder.f32("y.npy", &[1e10, 1.0, 1e10, 3.0]);
    let json = run(["dot", "--json", &x, &y]).json();
    assert_eq!((&json["value"], &json["count"], &json["operator"]), (&json!(2.5), &json!(4), &json!("dot")));
    assert_eq!((&json["exact"], &json["method"]), (&json!(true), &json!("exact")));
    let raw = folder.file("y.bin", &raw_f32(&[1e10, 1.0, 1e10, 3.0]));
    assert_eq!(run(["dot", "-q", "--dtype", "f32", &x, &raw]).text(), "2.5");
    assert_eq!(run_with(["dot", "-q", "-", &x], &npy_f32(&[1e10, 1.0, 1e10, 3.0])).text(), "2.5");
    assert_eq!(run_with(["dot", "-q", &y, "-"], &npy_f32(&[1.0, 2.0, -1.0, 4.0])).text(), "14");
    let empty = folder.f32("empty.npy", &[]);
    assert_eq!(run(["dot", "-q", &empty, &empty]).text(), "0");
    let halves = f16s(&folder, true, &[2.0, 4.0, 2.0, -8.0].map(half::f16::from_f32));
    assert_eq!(run(["dot", "-q", &halves, &halves]).text(), "88");
    assert_eq!(run(["dot", "-q", &x, &halves]).text(), "0");
}

#[test]
fn long_inputs_pair_in_little_memory() {
    let folder = Folder::new();
    let x: Vec<f32> = (0..300_001).map(|i| (i % 1000) as f32).collect();
    let y: Vec<f32> = (0..300_001).map(|i| (i % 7) as f32 - 3.0).collect();
    let want: f64 = x.iter().zip(&y).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum();
    let (x_file, y_file) = (folder.f32("x.npy", &x), folder.f32("y.npy", &y));
    for memory in ["1MiB", "512MiB"] {
        assert_eq!(run(["dot", "-q", "--memory", memory, &x_file, &y_file]).text(), (want as f32).to_string());
        assert_eq!(
            run_with(["dot", "-q", "--memory", memory, &x_file, "-"], &npy_f32(&y)).text(),
            (want as f32).to_string()
        );
    }
}

#[test]
fn dot_pairs_in_c_order() {
    let folder = Folder::new();
    let c = folder.f32("c.npy", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    // [[1, 2, 3], [4, 5, 6]], column by column.
    let bytes = npy("'<f4'", true, "(2, 3)", &raw_f32(&[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]));
    let fortran = folder.file("f.npy", &bytes);
    for (x, y) in [(&c, &fortran), (&fortran, &c), (&fortran, &fortran)] {
        assert_eq!(run(["dot", "-q", x, y]).text(), "91");
    }
    assert_eq!(run_with(["dot", "-q", &fortran, "-"], &bytes).text(), "91");
    run_with(["dot", &c, "-"], &bytes).fails(1, &["standard input", "Fortran"]);
}

#[test]
fn dot_says_what_does_not_fit() {
    let folder = Folder::new();
    let (three, four) = (folder.f32("three.npy", &[1.0; 3]), folder.f32("four.npy", &[1.0; 4]));
    let ints = folder.i32("ints.npy", &[1; 3]);
    run(["dot", &three, &four]).fails(1, &["three.npy has 3 elements", "four.npy has 4", "equal length"]);
    let wide = folder.file("wide.npy", &npy("'<i8'", false, "(3,)", &[1; 24]));
    run(["dot", &three, &wide]).fails(1, &["three.npy holds f32", "wide.npy holds i64", "no type", "save one of them"]);
    assert_eq!(run_where("0", ["dot", "-q", &ints, &ints]).text(), "3");
    run(["sum", &three, &ints]).fails(1, &["three.npy holds f32", "ints.npy holds i32", "must be of one type"]);
    run(["dot", &three]).fails(2, &["dot takes two FILEs", "there are 1"]);
    run(["dot"]).fails(2, &["there are 0"]);
    run(["dot", &three, &three, &three]).fails(2, &["there are 3"]);
    // Lengths that show only while they are read.
    let raw =
        |args: &[&str], elements: usize| run_with(["dot", "--dtype", "f32"].iter().chain(args), &vec![0; 4 * elements]);
    raw(&[&three, "-"], 2).fails(1, &["three.npy has more than 2 elements", "standard input has 2"]);
    raw(&[&three, "-"], 4).fails(1, &["three.npy has 3 elements", "standard input has more than 3"]);
    raw(&["-", &three], 500_000).fails(1, &["standard input has more than 3 elements", "three.npy has 3"]);
    raw(&[&three, "-"], 500_000).fails(1, &["three.npy has 3 elements", "standard input has more than 3"]);
    run_with(["dot", &four, "-"], &npy_f32(&[1.0; 4])[..136]).fails(1, &["standard input: truncated"]);
}

#[cfg(unix)]
#[test]
fn dot_reads_two_pipes_at_once() {
    let folder = Folder::new();
    let names = ["a.npy", "b.npy"].map(|name| text(folder.path().join(name)));
    assert!(std::process::Command::new("mkfifo").args(&names).status().unwrap().success());
    let writers = names
        .clone()
        .map(|name| std::thread::spawn(move || std::fs::write(name, npy_f32(&vec![2.0; 100_000])).unwrap()));
    assert_eq!(run(["dot", "-q"].map(String::from).iter().chain(&names)).text(), "400000");
    writers.into_iter().for_each(|writer| writer.join().unwrap());
}
