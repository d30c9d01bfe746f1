//! Partial results in files: whatever the split, the order and the adapters, they merge to the bits of one call.

use crate::common::*;
use serde_json::{Value, json};

/// Runs the program on an adapter of that name.
fn on(adapter: &str, args: &[&str]) -> Done {
    let mut command = program();
    command.args(["--adapter", adapter]).args(args);
    finish(command, b"")
}

fn numbers(count: u32) -> Vec<f32> {
    // All signs and exponents but the top one.
    (0..count).map(|i| f32::from_bits(i.wrapping_mul(0x9e37_79b9) & 0xbfff_ffff)).collect()
}

/// Members that must not depend on how an answer came about.
fn answer(json: &Value) -> Value {
    json!(["operator", "dtype", "count", "value", "bits", "exact", "method", "index"].map(|name| &json[name]))
}

/// Reduces the parts to partials, on the CPU engine and the tests' adapter by turns, and merges them: in several orders,
/// unless there is an index.
fn splits_merge_to_the_whole(operator: &str, whole: &[&str], parts: &[Vec<String>]) {
    let folder = Folder::new();
    // Parts over ranges of their own would not merge.
    let flags: &[&str] = if operator == "histogram" { &["--range", "-2:2"] } else { &[] };
    let want = run([operator, "--json"].iter().chain(flags).chain(whole)).json();
    let ordered = want.get("index").is_some();
    let want = answer(&want);
    let partials: Vec<String> = (0..parts.len()).map(|p| text(folder.path().join(format!("{p}.part")))).collect();
    for (p, (files, partial)) in parts.iter().zip(&partials).enumerate() {
        let mut args = vec![operator, "--json", "--partial", partial];
        args.extend(flags.iter().copied().chain(files.iter().map(String::as_str)));
        let engine = if p % 2 == 0 { "cpu".into() } else { adapter() };
        let json = on(&engine, &args).json();
        assert_eq!((&json["operator"], &json["partial"]), (&json!(operator), &json!(partial)), "{json}");
        assert!(json["count"].is_number() && json.get("value").is_none(), "{json}");
    }
    for turn in 0..if ordered { 1 } else { parts.len() } {
        let mut shuffled = partials.clone();
        shuffled.rotate_left(turn);
        shuffled.swap(0, turn / 2);
        let merged = run(["merge", "--json"].map(String::from).iter().chain(&shuffled)).json();
        assert_eq!(answer(&merged), want, "{operator} {turn}");
        assert_eq!(merged["adapter"], "merged");
    }
    // By way of another partial: the last ones, behind the first.
    let between = text(folder.path().join("between.part"));
    let args = ["merge", "--quiet", "--partial", &between];
    assert_eq!(run(args.map(String::from).iter().chain(&partials[1..])).text(), "");
    let merged = run(["merge", "--json", &partials[0], &between]).json();
    assert_eq!(answer(&merged), want, "{operator} by way of another");
}

#[test]
fn float_sums_merge_from_any_split() {
    let folder = Folder::new();
    let values = numbers(9000);
    let whole = folder.f32("whole.npy", &values);
    let cuts: [&[usize]; 3] = [&[0, 1, 9000], &[0, 0, 2999, 3000, 9000], &[0, 1024, 4096, 5000, 8999, 9000]];
    for cuts in cuts {
        let part =
            |ends: &[usize]| vec![folder.f32(&format!("{}-{}.npy", ends[0], ends[1]), &values[ends[0]..ends[1]])];
        let parts: Vec<Vec<String>> = cuts.windows(2).map(part).collect();
        for operator in ["sum", "mean", "sumsq", "norm2"] {
            splits_merge_to_the_whole(operator, &[&whole], &parts);
        }
    }
}

#[test]
fn every_operator_that_does_not_round_merges() {
    let folder = Folder::new();
    let ints = [3i32, -1, 4, 0, 5, i32::MAX, 2, i32::MIN, -7];
    let floats = [3.0f32, -1.0, f32::NAN, -0.0, 5.0, 1e30, 2.0, 1e-40, f32::INFINITY];
    let int_files = [folder.i32("i.npy", &ints), folder.i32("i0.npy", &ints[..4]), folder.i32("i1.npy", &ints[4..])];
    let float_files =
        [folder.f32("f.npy", &floats), folder.f32("f0.npy", &floats[..4]), folder.f32("f1.npy", &floats[4..])];
    let exact = [
        "sum",
        "product",
        "min",
        "max",
        "minmax",
        "mean",
        "variance",
        "count_nonzero",
        "count_nan",
        "any",
        "all",
        "and",
        "or",
        "xor",
        "wrapping_sum",
        "range",
        "norminf",
        "none",
        "sem",
        "norm1",
        "product",
        "wrapping_product",
        "count",
        "parity",
        "argmin",
        "argmax",
        "stats",
        "histogram",
    ];
    for operator in exact {
        let [whole, front, back] = &int_files;
        splits_merge_to_the_whole(operator, &[whole], &[vec![front.clone()], vec![back.clone()]]);
    }
    let exact_floats = ["sum", "mean", "sumsq", "norm2", "stats", "min", "max", "minmax", "argmin", "argmax"];
    for operator in exact_floats.into_iter().chain([
        "count_nonzero",
        "count_nan",
        "any",
        "all",
        "none",
        "range",
        "norminf",
        "sem",
        "norm1",
        "count",
        "parity",
        "histogram",
    ]) {
        let [whole, front, back] = &float_files;
        splits_merge_to_the_whole(operator, &[whole], &[vec![front.clone()], vec![back.clone()]]);
    }
    let pair = |name: &str, values: &[f32]| {
        let other: Vec<f32> = values.iter().map(|x| 1.0 - x).collect();
        vec![folder.f32(&format!("x{name}.npy"), values), folder.f32(&format!("y{name}.npy"), &other)]
    };
    let values = &numbers(5000)[..];
    let (whole, front, back) = (pair("", values), pair("0", &values[..777]), pair("1", &values[777..]));
    splits_merge_to_the_whole("dot", &[&whole[0], &whole[1]], &[front, back]);
}

#[test]
fn the_other_types_merge() {
    let folder = Folder::new();
    let file = |name: &str, descr: &str, bytes: Vec<u8>, size: usize| {
        folder.file(name, &npy(descr, false, &format!("({},)", bytes.len() / size), &bytes))
    };
    let doubles =
        |name: &str, values: &[f64]| file(name, "'<f8'", values.iter().flat_map(|x| x.to_le_bytes()).collect(), 8);
    let wide =
        |name: &str, values: &[i64]| file(name, "'>i8'", values.iter().flat_map(|x| x.to_be_bytes()).collect(), 8);
    let halves = |name: &str, values: &[f32]| {
        file(name, "'<f2'", values.iter().flat_map(|&x| half::f16::from_f32(x).to_le_bytes()).collect(), 2)
    };
    let (a, b) = (doubles("a.npy", &[1e300, 0.1, 0.2]), doubles("b.npy", &[-1e300, 0.3]));
    splits_merge_to_the_whole("sum", &[&a, &b], &[vec![a.clone()], vec![b.clone()]]);
    splits_merge_to_the_whole("mean", &[&a, &b], &[vec![a.clone()], vec![b.clone()]]);
    let (a, b) = (wide("a.npy", &[i64::MIN; 3]), wide("b.npy", &[i64::MIN, 5]));
    splits_merge_to_the_whole("sum", &[&a, &b], &[vec![a.clone()], vec![b.clone()]]);
    let (a, b) = (halves("a.npy", &[65504.0, 6e-8, 1.5]), halves("b.npy", &[-65504.0, 0.25]));
    splits_merge_to_the_whole("sum", &[&a, &b], &[vec![a.clone()], vec![b.clone()]]);
    splits_merge_to_the_whole("mean", &[&a, &b], &[vec![a.clone()], vec![b.clone()]]);
    // As f32, of which powers are summed exactly.
    splits_merge_to_the_whole("kurtosis", &[&a, &b], &[vec![a.clone()], vec![b.clone()]]);
}

#[test]
fn zeros_keep_their_sign_through_files() {
    let folder = Folder::new();
    let partial = |name: &str, values: &[f32]| {
        let partial = text(folder.path().join(format!("{name}.part")));
        assert_eq!(run(["sum", "-q", "--partial", &partial, &folder.f32(name, values)]).text(), "");
        partial
    };
    let (nothing, minus, plus) = (partial("n.npy", &[]), partial("m.npy", &[-0.0]), partial("p.npy", &[0.0]));
    assert_eq!(run(["merge", "-q", &minus, &nothing, &minus]).text(), "-0");
    assert_eq!(run(["merge", "-q", &minus, &plus]).text(), "0");
    assert_eq!(run(["merge", "-q", &nothing]).text(), "0");
}

#[test]
fn variance_takes_its_ddof_when_it_is_merged() {
    let folder = Folder::new();
    let (a, b) = (folder.i32("a.npy", &[1, 2]), folder.i32("b.npy", &[3, 4]));
    let [pa, pb] = ["a.part", "b.part"].map(|name| text(folder.path().join(name)));
    run(["variance", "-q", "--partial", &pa, &a]).text();
    run(["variance", "-q", "--partial", &pb, &b]).text();
    assert_eq!(run(["merge", "-q", &pa, &pb]).text(), "1.25");
    let sample = run(["variance", "-q", "--ddof", "1", &a, &b]);
    assert_eq!(run(["merge", "-q", "--ddof", "1", &pb, &pa]).text(), sample.text());
    // A partial brings its own, unless merge is told another.
    let pc = text(folder.path().join("c.part"));
    run(["variance", "-q", "--ddof", "1", "--partial", &pc, &a, &b]).text();
    assert_eq!(run(["merge", "-q", &pc]).text(), sample.text());
    assert_eq!(run(["merge", "-q", "--ddof", "0", &pc]).text(), "1.25");
    run(["merge", &pa, &pc]).fails(1, &["a.part is a partial variance(ddof=0) of i32", "variance(ddof=1)"]);
    run(["merge", "--ddof", "x", &pa]).fails(2, &["--ddof of variance is \"x\""]);
    run(["merge", "--ddof", "1", "--partial", &text(folder.path().join("d.part")), &pa])
        .fails(2, &["variance(ddof=0)"]);
    let sum = text(folder.path().join("sum.part"));
    run(["sum", "-q", "--partial", &sum, &a]).text();
    run(["merge", "--ddof", "1", &sum]).fails(2, &["--ddof", "sum of i32"]);
}

#[test]
fn indices_count_through_the_files_in_their_order() {
    let folder = Folder::new();
    let cuts = [&[5.0f32, 2.0, 3.0][..], &[], &[9.0, 1.0], &[9.0, 1.0, 4.0]];
    let files: Vec<String> = cuts.iter().enumerate().map(|(i, cut)| folder.f32(&format!("{i}.npy"), cut)).collect();
    for (operator, index) in [("argmin", json!(4)), ("argmax", json!(3)), ("stats", json!({"min": 4, "max": 3}))] {
        let partials: Vec<String> = files.iter().map(|file| format!("{file}.{operator}.part")).collect();
        for (file, partial) in files.iter().zip(&partials) {
            run([operator, "-q", "--partial", partial, file]).text();
        }
        let whole = run([operator, "--json"].map(String::from).iter().chain(&files)).json();
        let merged = run(["merge", "--json"].map(String::from).iter().chain(&partials)).json();
        assert_eq!(answer(&merged), answer(&whole), "{operator}");
        assert_eq!(merged["index"], index, "{operator}");
        // In another order it is the answer over the files in that order.
        let back = run(["merge", "--json"].map(String::from).iter().chain(partials.iter().rev())).json();
        let whole = run([operator, "--json"].map(String::from).iter().chain(files.iter().rev())).json();
        assert_eq!(answer(&back), answer(&whole), "{operator}");
        assert_ne!(back["index"], index, "{operator}");
    }
}

#[test]
fn a_histogram_is_merged_with_the_bins_it_has() {
    let folder = Folder::new();
    let (a, b) = (folder.f32("a.npy", &[0.5, 1.5, -3.0]), folder.f32("b.npy", &[-0.5, f32::NAN]));
    let [pa, pb] = ["a.part", "b.part"].map(|name| text(folder.path().join(name)));
    let flags = ["histogram", "--bins", "3", "--range", "-1:2"];
    run(flags.iter().chain(&["-q", "--partial", &pa, &a])).text();
    run(flags.iter().chain(&["-q", "--partial", &pb, &b])).text();
    let whole = run(flags.iter().chain(&["-q", &a, &b]));
    assert_eq!(run(["merge", "-q", &pb, &pa]).text(), whole.text());
    assert!(run(["merge", &pa, &pb]).text().contains("│ -1 to 0   ┆     1 ┆ █"));
    run(["merge", "--bins", "4", &pa]).fails(2, &["a.part", "bins=3", "bins=4", "anew"]);
}

#[test]
fn people_are_told_what_was_written_and_merged() {
    let folder = Folder::new();
    let partial = text(folder.path().join("x.part"));
    let done = run(["sum", "--partial", &partial, &folder.f32("x.npy", &[1.0, 2.0])]);
    let bytes = std::fs::metadata(&partial).unwrap().len();
    for phrase in [&format!("wrote {partial}: a partial sum, {bytes} B"), "2 f32 elements", "note: exact"] {
        assert!(done.text().contains(phrase), "{phrase}: {}", done.out);
    }
    let merged = run(["merge", &partial, &partial]);
    for phrase in ["│ sum      ┆     6 │", "4 f32 elements, from 2 partials", "merged in", "note: exact"] {
        assert!(merged.text().contains(phrase), "{phrase}: {}", merged.out);
    }
    let through_stdin = run_with(["merge", "-q", "-", &partial], &std::fs::read(&partial).unwrap());
    assert_eq!(through_stdin.text(), "6");
}

#[test]
fn partials_replace_nothing_unless_forced() {
    let folder = Folder::new();
    let (file, other) = (folder.f32("x.npy", &[1.0]), folder.f32("y.npy", &[2.0]));
    let partial = text(folder.path().join("x.part"));
    run(["sum", "-q", "--partial", &partial, &file]).text();
    let first = std::fs::read(&partial).unwrap();
    run(["sum", "--partial", &partial, &other]).fails(1, &["x.part: exists already", "--force"]);
    run(["merge", "--partial", &partial, &partial]).fails(1, &["x.part: exists already"]);
    assert_eq!(std::fs::read(&partial).unwrap(), first);
    run(["sum", "-q", "--force", "--partial", &partial, &other]).text();
    assert_eq!(run(["merge", "-q", &partial]).text(), "2");
    // A sum that grows.
    run(["merge", "-q", "--force", "--partial", &partial, &partial]).text();
    run(["merge", "--force", "--output", &partial, &partial]).fails(2, &["--output", "is an input too"]);
    assert_eq!(run(["merge", "-q", &partial]).text(), "2");
    run(["sum", "--partial", &text(folder.path().join("no/x.part")), &file]).fails(1, &["there is no folder"]);
    let directory = text(folder.path().into());
    run(["sum", "--force", "--partial", &directory, &file]).fails(1, &["no ordinary file"]);
    // Nothing is left of those that failed.
    run(["sum", "--partial", &text(folder.path().join("new.part")), &file, "no-such.npy"]).fails(1, &["no-such.npy"]);
    let mut names: Vec<String> =
        std::fs::read_dir(folder.path()).unwrap().map(|e| text(e.unwrap().file_name().into())).collect();
    names.sort();
    assert_eq!(names, ["x.npy", "x.part", "y.npy"]);
}

#[cfg(unix)]
#[test]
fn partials_are_ordinary_files() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let file = folder.f32("x.npy", &[1.0]);
    let partial = text(folder.path().join("x.part"));
    run(["sum", "-q", "--partial", &partial, &file]).text();
    let mode = |name: &str| std::fs::metadata(name).unwrap().permissions().mode();
    assert_eq!(mode(&partial), mode(&file));
    run(["sum", "--force", "--partial", "/dev/null", &file]).fails(1, &["/dev/null: is no ordinary file"]);
}

#[test]
fn operators_whose_partials_would_not_merge() {
    let folder = Folder::new();
    let floats = folder.f32("x.npy", &[1.0, 2.0]);
    let out = text(folder.path().join("x.part"));
    for operator in ["product", "logsumexp"] {
        run([operator, "--partial", &out, &floats]).fails(1, &[operator, "over f32 rounds on the way", "in one call"]);
    }
    let ints = folder.i32("i.npy", &[1, 2, 7]);
    for operator in ["entropy", "log_mean", "log_product", "harmonic_mean", "norm(3)"] {
        let told = ["over i32 rounds on the way, so its parts do not merge", "in one call"];
        run([operator, "--partial", &out, &ints]).fails(1, &told);
        run([&format!("sum,{operator}"), "--partial", &out, &ints]).fails(1, &told);
    }
    for operator in ["sum", "mean", "stats", "variance"] {
        run([operator, "--fast", "--partial", &out, &floats])
            .fails(1, &[&format!("{operator} --fast over f32"), "without --fast it is one"]);
    }
    assert!(!std::fs::exists(&out).unwrap());
    // Written by a program of one's own.
    let cpu = treefold::Cpu::new();
    let fast = folder.file("fast.part", &cpu.partial(treefold::ops::FastSum, &[1.0f32]).to_bytes().unwrap());
    run(["merge", &fast]).fails(1, &["fast.part", "sum --fast"]);
}

#[test]
fn partials_of_two_kinds_do_not_merge() {
    let folder = Folder::new();
    let (floats, ints) = (folder.f32("x.npy", &[1.0, 2.0]), folder.i32("i.npy", &[1, 2]));
    let partial = |operator: &str, file: &str, name: &str| {
        let out = text(folder.path().join(name));
        run([operator, "-q", "--partial", &out, file]).text();
        out
    };
    let sum = partial("sum", &floats, "sum.part");
    let (mean, whole) = (partial("mean", &floats, "mean.part"), partial("sum", &ints, "whole.part"));
    run(["merge", &sum, &sum, &mean])
        .fails(1, &["sum.part is a partial sum of f32", "mean.part is a partial mean of f32"]);
    run(["merge", &whole, &sum]).fails(1, &["whole.part is a partial sum of i32", "sum.part is a partial sum of f32"]);
    run(["merge"]).fails(2, &["merge takes FILEs"]);
    run(["merge", "--fast", &sum]).fails(2, &["--fast"]);
    run(["merge", "--dtype", "f32", &sum]).fails(2, &["--dtype"]);
    run(["merge", "-", "-"]).fails(2, &["twice"]);
    run(["merge", "no-such.part"]).fails(1, &["no-such.part: no such file"]);
    run(["merge", &floats]).fails(1, &["x.npy", "does not begin as one"]);
    run(["merge", &folder.file("empty.part", b"")]).fails(1, &["empty.part"]);
}

/// The checksum that ends a partial: CRC-32 as zip and PNG have it.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 })
    })
}

#[test]
fn sums_beyond_a_partials_words_are_errors() {
    let folder = Folder::new();
    for operator in ["sum", "mean"] {
        let partial = text(folder.path().join(operator));
        run([operator, "-q", "--partial", &partial, &folder.i32("x.npy", &[1])]).text();
        let mut bytes = std::fs::read(&partial).unwrap();
        // As after very many elements: 2^63 - 1 in the accumulator's two words, which are the last before the checksum.
        let end = bytes.len() - 4;
        bytes[end - 8..end].copy_from_slice(&i64::MAX.to_le_bytes());
        let seal = crc32(&bytes[..end]).to_le_bytes();
        bytes[end..].copy_from_slice(&seal);
        std::fs::write(&partial, bytes).unwrap();
        let out = text(folder.path().join("out"));
        run(["merge", "--partial", &out, &partial, &partial]).fails(1, &["does not fit the bytes of a partial"]);
        let answer = run(["merge", "-q", &partial, &partial]);
        match operator {
            "sum" => answer.fails(1, &["64 bits"]),
            _ => assert_eq!(answer.text(), "9.223372036854776e18"),
        }
    }
}

#[test]
fn damaged_partials_are_refused() {
    let folder = Folder::new();
    let whole = text(folder.path().join("whole.part"));
    run(["sum", "-q", "--partial", &whole, &folder.f32("x.npy", &[1.5, 1e30])]).text();
    let bytes = std::fs::read(&whole).unwrap();
    let (body, seal) = bytes.split_at(bytes.len() - 4);
    assert_eq!(crc32(body).to_le_bytes(), seal);
    let refused = |bytes: &[u8], phrases: &[&str]| {
        let file = folder.file("bad.part", bytes);
        run(["merge", &whole, &file]).fails(1, &[&["bad.part"], phrases].concat());
    };
    for at in 0..bytes.len() {
        for flip in [1u8 << (at % 8), 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] ^= flip;
            refused(&damaged, &["not a usable partial"]);
        }
    }
    for length in 0..bytes.len() {
        refused(&bytes[..length], &["not a usable partial"]);
    }
    refused(&[&bytes[..], &[0]].concat(), &["not a usable partial"]);
    // Whole, but by a later version, or of an operator that does not exist here.
    let sealed = |body: &[u8]| [body, &crc32(body).to_le_bytes()[..]].concat();
    let mut newer = body.to_vec();
    newer[8] = 9;
    refused(&sealed(&newer), &["version 9"]);
    // The layout of version 1: no place of the first element.
    let lengths = [1u32, 9, 3, 24];
    let old: Vec<u8> = [b"treefold".to_vec(), lengths.iter().flat_map(|x| x.to_le_bytes()).collect()].concat();
    let old = [old, 2u64.to_le_bytes().to_vec(), b"exact_sumf32".to_vec(), vec![0; 24 * 4]].concat();
    refused(&sealed(&old), &["version 1, where this treefold reads version 2", "write all parts anew"]);
    let at = body.windows(3).position(|window| window == b"sum").unwrap();
    let foreign = [&body[..at], b"zzz", &body[at + 3..]].concat();
    let file = folder.file("foreign.part", &sealed(&foreign));
    run(["merge", &file]).fails(1, &["foreign.part", "zzz of f32", "does not have"]);
    assert_eq!(run(["merge", "-q", &whole]).text(), "1e30");
}

/// Members that must not depend on how the answers of several operators came about.
fn all_answers(json: &Value) -> Value {
    json!(["operators", "dtype", "count", "shape", "answers"].map(|name| &json[name]))
}

#[test]
fn several_operators_stand_in_one_file() {
    let folder = Folder::new();
    let numbers = numbers(600);
    let list = "sum,argmax,stats,variance,histogram";
    let told = ["--range", "-2:2", "--bins", "5"];
    let cuts: Vec<String> = [0..150, 150..152, 152..600]
        .into_iter()
        .map(|cut| folder.f32(&format!("{}.npy", cut.start), &numbers[cut]))
        .collect();
    let name = |name: &str| text(folder.path().join(name));
    for how in [&[][..], &["--rows", "2"]] {
        // Rows are arrays of as many.
        let halves = [folder.f32("front.npy", &numbers[..300]), folder.f32("back.npy", &numbers[300..])];
        let parts = if how.is_empty() { &cuts[..] } else { &halves };
        let partials: Vec<String> = (0..parts.len()).map(|at| name(&format!("{at}.part"))).collect();
        for (part, partial) in parts.iter().zip(&partials) {
            let args = [&[list, "--force", "--partial", partial, part][..], how, &told].concat();
            let done = run(args);
            let names = list.replace(',', ", ");
            assert!(done.text().contains(&format!("a partial {names}")), "{}", done.out);
        }
        let args = [&[list, "--json"][..], how, &told].concat();
        let merged = run(["merge", "--json"].iter().map(ToString::to_string).chain(partials.clone())).json();
        if how.is_empty() {
            let whole = folder.f32("whole.npy", &numbers);
            assert_eq!(all_answers(&merged), all_answers(&run(args.iter().chain([&whole.as_str()])).json()));
            // By way of another one, and its own options with the answer.
            let between = name("between.part");
            let more = ["merge", "-q", "--force", "--partial", &between, &partials[1], &partials[2]];
            assert_eq!(run(more).text(), "");
            let found = run(["merge", "--json", &partials[0], &between]).json();
            assert_eq!(all_answers(&found), all_answers(&merged));
            let found = run(["merge", "--json", "--ddof", "1", &partials[0], &between]).json();
            let one = run(["variance", "--json", "--ddof", "1", &whole]).json();
            assert_eq!(found["answers"]["variance"]["value"], one["value"]);
            assert_eq!(found["answers"]["sum"], merged["answers"]["sum"]);
            // Each is the partial of its operator.
            let alone = name("alone.part");
            run(["sum", "-q", "--force", "--partial", &alone, &cuts[0]]).text();
            let mut zip = zip::ZipArchive::new(std::fs::File::open(&partials[0]).unwrap()).unwrap();
            let mut bytes = vec![];
            std::io::Read::read_to_end(&mut zip.by_name("sum.part").unwrap(), &mut bytes).unwrap();
            assert!(bytes == std::fs::read(alone).unwrap());
            assert_eq!(zip.file_names().last(), Some("histogram.part"));
        } else {
            // Positions count through the parts of a row.
            assert_eq!((&merged["shape"], &merged["count"]), (&json!([150]), &json!(600)));
            let longer = run(["max,argmax", "--json", "--rows", "2", &parts[0]]).json();
            let other = run(["max,argmax", "--json", "--rows", "2", &parts[1]]).json();
            for at in 0..150 {
                let of = |all: &Value| {
                    (all["answers"]["max"]["value"][at].as_f64(), all["answers"]["argmax"]["index"][at].as_u64())
                };
                let (front, back) = (of(&longer), of(&other));
                let want = if back.0 > front.0 { back.1.unwrap() + 2 } else { front.1.unwrap() };
                assert_eq!(merged["answers"]["argmax"]["index"][at], json!(want), "{at}");
            }
        }
    }
}

#[test]
fn files_of_several_that_do_not_go_together_are_told() {
    let folder = Folder::new();
    let file = folder.f32("x.npy", &[1.0, 2.0, -7.0]);
    let write = |name: &str, list: &str| {
        let path = text(folder.path().join(name));
        run([list, "-q", "--partial", &path, &file]).text();
        path
    };
    let (both, turned, sum, three) =
        (write("both", "sum,max"), write("turned", "max,sum"), write("sum", "sum"), write("three", "sum,max,min"));
    assert_eq!(run(["merge", "-q", &both, &both]).text(), "-8\n2");
    run(["merge", &both, &sum])
        .fails(1, &["both is a partial sum of f32 and max of f32", "sum is a partial sum", "like with like"]);
    run(["merge", &sum, &both]).fails(1, &["sum is a partial sum of f32", "and max of f32", "like with like"]);
    run(["merge", &both, &three]).fails(1, &["and min of f32", "like with like"]);
    run(["merge", &both, &turned]).fails(1, &["is a partial sum of f32", "is a partial max of f32", "like with like"]);
    run(["merge", "--ddof", "1", &both]).fails(2, &["both is a partial", "--ddof is for", "sum and max have none"]);
    run(["merge", "--output", "o.npy", &both]).fails(2, &["--output o.npy: holds one array", "sum,max are 2"]);
    let npz = text(folder.path().join("a.npz"));
    run(["merge", "-q", "--output", &npz, &both, &both]).text();
    run(["merge", &npz]).fails(1, &["a.npz: sum.npy", "does not begin as one"]);
    // Through pipes.
    let mut command = program();
    command.args(["sum,max", "--adapter", "cpu", "--partial", "-", &file]);
    let piped = command.stderr(std::process::Stdio::null()).output().unwrap().stdout;
    assert!(piped == std::fs::read(&both).unwrap());
    assert_eq!(run_with(["merge", "-q", "-", &both], &piped).text(), "-8\n2");
    // Damaged anywhere: an error, or the answers.
    let whole = std::fs::read(&both).unwrap();
    for at in 0..whole.len() {
        for damaged in [whole[..at].to_vec(), [&whole[..at], &[whole[at] ^ 1 << (at % 8)], &whole[at + 1..]].concat()] {
            if at % 5 > 0 && damaged.len() < whole.len() {
                continue;
            }
            let done = run(["merge", "-q", &folder.file("damaged", &damaged)]);
            let same = done.status == 0 && done.out == "-4\n2\n";
            assert!(same || done.status == 1 && done.err.lines().count() == 1, "{at} {done:?}");
        }
    }
    assert_eq!(run(["merge", "--memory", "1MiB", "-q", &both]).text(), "-4\n2");
}
