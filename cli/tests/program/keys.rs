//! An answer for each run of equal keys, and for each group by the key of each element.

use crate::common::*;
use serde_json::{Value, json};
use std::io::Read;

/// The same small numbers as every type of integer.
fn integers(folder: &Folder, numbers: &[u8]) -> Vec<String> {
    let wide = |bytes: usize| numbers.iter().flat_map(move |&x| [vec![x], vec![0; bytes - 1]].concat());
    let shape = format!("({},)", numbers.len());
    let types = [("|u1", 1), ("|i1", 1), ("<u2", 2), ("<i2", 2), ("<u4", 4), ("<i4", 4), ("<u8", 8), ("<i8", 8)];
    let file = |(descr, bytes): (&str, usize)| {
        folder.file(
            &format!("{}.npy", &descr[1..]),
            &npy(&format!("'{descr}'"), false, &shape, &wide(bytes).collect::<Vec<u8>>()),
        )
    };
    types.into_iter().map(file).collect()
}

fn i64s(numbers: &[i64]) -> Vec<u8> {
    npy(
        "'<i8'",
        false,
        &format!("({},)", numbers.len()),
        &numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>(),
    )
}

#[test]
fn runs_of_equal_keys_of_any_integer_type() {
    let folder = Folder::new();
    let numbers = folder.i32("x.npy", &[5, 1, 2, 3, 4, 9, 7]);
    for keys in integers(&folder, &[3, 3, 7, 7, 7, 3, 3]) {
        let done = run(["sum", "--json", "--by", &keys, &numbers]).json();
        assert_eq!(
            (&done["shape"], &done["keys"], &done["value"]),
            (&json!([3]), &json!([3, 7, 3]), &json!([6, 9, 16]))
        );
        assert_eq!((&done["count"], &done["counts"], &done["outside"]), (&json!(7), &Value::Null, &Value::Null));
        assert_eq!(run(["argmax", "-q", "--by", &keys, &numbers]).text(), "3 5 0\n7 4 2\n3 9 0");
    }
    let keys = folder.file("wide.npy", &i64s(&[i64::MIN, i64::MIN, -1, -1, -1, i64::MAX, 0]));
    assert_eq!(
        run(["max", "-q", "--by", &keys, &numbers]).text(),
        "-9223372036854775808 5\n-1 4\n9223372036854775807 9\n0 7"
    );
    let wide = run(["max", "--json", "--by", &keys, &numbers]).json();
    assert_eq!(wide["strings"]["keys"][0], json!("-9223372036854775808"));
    let table = run(["sum,argmax", "--by", &keys, &numbers]);
    assert!(table.text().contains("key ┆ sum ┆ argmax ┆ index │"), "{}", table.out);
    assert!(table.text().contains("-1 ┆   9 ┆      4 ┆     2 │"), "{}", table.out);
    assert!(table.text().contains("4 answers of shape (4,), each over a run of equal keys"), "{}", table.out);
    // One run, and none.
    assert_eq!(run(["sum", "-q", "--by", &folder.i32("one.npy", &[4]), &folder.i32("x1.npy", &[2])]).text(), "4 2");
    let none = folder.i32("none.npy", &[]);
    let done = run(["sum", "--json", "--by", &none, &none]).json();
    assert_eq!((&done["shape"], &done["keys"], &done["value"]), (&json!([0]), &json!([]), &json!([])));
}

#[test]
fn nan_is_the_key_that_nan_is_and_zeros_are_one() {
    let folder = Folder::new();
    let numbers = folder.i32("x.npy", &[1, 2, 3, 4, 5, 6, 7]);
    let keys = [f32::NAN, -f32::NAN, 0.0, -0.0, 2.5, 2.5, f32::INFINITY];
    let bits = |bytes: Vec<u8>, descr: &str| npy(descr, false, "(7,)", &bytes);
    let halves = [0x7e00u16, 0xfe01, 0, 0x8000, 0x4100, 0x4100, 0x7c00];
    let files = [
        folder.f32("f4.npy", &keys),
        folder.file("f8.npy", &bits(keys.iter().flat_map(|&x| f64::from(x).to_le_bytes()).collect(), "'<f8'")),
        folder.file("big.npy", &bits(keys.iter().flat_map(|&x| f64::from(x).to_be_bytes()).collect(), "'>f8'")),
        folder.file("f2.npy", &bits(halves.iter().flat_map(|x| x.to_le_bytes()).collect(), "'<f2'")),
    ];
    for file in files {
        assert_eq!(run(["sum", "-q", "--by", &file, &numbers]).text(), "nan 3\n0 7\n2.5 11\ninf 7");
        let done = run(["sum", "--json", "--by", &file, &numbers]).json();
        assert_eq!((&done["keys"], &done["value"]), (&json!(["nan", 0.0, 2.5, "inf"]), &json!([3, 7, 11, 7])));
    }
}

#[test]
fn groups_by_keys_of_any_integer_type() {
    let folder = Folder::new();
    let numbers = folder.f32("x.npy", &[10.0, 1.0, 20.0, 7.0, 2.5]);
    for keys in integers(&folder, &[0, 2, 0, 9, 2]) {
        let done = run(["mean", "--json", "--group-by", &keys, "--groups", "3", &numbers]).json();
        assert_eq!((&done["shape"], &done["value"]), (&json!([3]), &json!([15.0, null, 1.75])));
        assert_eq!((&done["counts"], &done["outside"]), (&json!([2, 0, 2]), &json!(1)));
        assert_eq!((&done["count"], &done["keys"]), (&json!(5), &Value::Null));
    }
    // Negative keys and those far off are nobody's.
    let keys = folder.file("k.npy", &i64s(&[1, -1, i64::MAX, i64::MIN, 1 << 32]));
    let table = run(["argmax,sum", "--group-by", &keys, "--groups", "2", &numbers]);
    assert!(table.text().contains("│ key ┆ argmax ┆ index ┆ sum │"), "{}", table.out);
    assert!(table.text().contains("│   1 ┆     10 ┆     0 ┆  10 │"), "{}", table.out);
    assert!(
        table.text().contains("2 answers of shape (2,), each over a group\n4 of 5 elements have keys outside 0..2\n")
    );
    let quiet = run(["sum", "-q", "--group-by", &keys, "--groups", "2", &numbers]);
    assert_eq!((quiet.text(), &quiet.err[..]), ("0\n10", "treefold: note: 4 of 5 elements have keys outside 0..2\n"));
    let all = run(["sum", "--json", "--group-by", &folder.i32("a.npy", &[0; 5]), "--groups", "1", &numbers]).json();
    assert_eq!((&all["value"], &all["outside"]), (&json!([40.5]), &json!(0)));
    assert!(
        !run(["sum", "--group-by", &folder.i32("a.npy", &[0; 5]), "--groups", "1", &numbers])
            .text()
            .contains("outside")
    );
    let none = folder.i32("none.npy", &[]);
    assert_eq!(run(["sum", "-q", "--group-by", &none, "--groups", "2", &none]).text(), "0\n0");
}

/// Many elements: each run or group as a call of its own has it.
#[test]
fn answers_are_those_of_single_calls() {
    let folder = Folder::new();
    let count = 60_000usize;
    let numbers: Vec<f32> = (0..count).map(|at| ((at * 7919 + 13) % 10_007) as f32 * 0.37 - 1000.0).collect();
    let numbers_file = folder.f32("x.npy", &numbers);
    let runs: Vec<i32> = (0..count).map(|at| if at < 41_000 { 5 } else { (at / 9000) as i32 }).collect();
    let groups: Vec<i32> = (0..count).map(|at| (at * at % 7) as i32 - 1).collect();
    let (by, group_by) = (folder.i32("runs.npy", &runs), folder.i32("groups.npy", &groups));
    let list = "sum,max,stats,variance";
    let call = |how: &[&str]| run([list, "--json"].iter().chain(how).chain([&numbers_file.as_str()])).json();
    let value = |all: &Value, part: &[&str], at: usize| {
        part.iter().fold(all["answers"].clone(), |found, name| found[*name].clone())[at].clone()
    };
    let parts: [&[&str]; 5] = [
        &["sum", "value"],
        &["max", "value"],
        &["stats", "value", "mean"],
        &["stats", "value", "count"],
        &["variance", "value"],
    ];
    let check = |all: &Value, at: usize, own: Vec<f32>| {
        let one = run([list, "--json", "--rows", &own.len().to_string(), &folder.f32("own.npy", &own)]).json();
        for part in parts {
            assert_eq!(value(all, part, at), value(&one, part, 0), "{part:?} {at}");
        }
    };
    let by_runs = call(&["--by", &by]);
    assert_eq!(by_runs["keys"], json!([5, 4, 5, 6]));
    for (at, cut) in [0..41_000, 41_000..45_000, 45_000..54_000, 54_000..60_000].into_iter().enumerate() {
        check(&by_runs, at, numbers[cut].to_vec());
    }
    let by_groups = call(&["--group-by", &group_by, "--groups", "4"]);
    let of =
        |group: i32| numbers.iter().zip(&groups).filter(|&(_, &key)| key == group).map(|(&x, _)| x).collect::<Vec<_>>();
    for at in [0, 1, 3] {
        check(&by_groups, at, of(at as i32));
    }
    let told: Vec<u64> = (0..4).map(|group| of(group).len() as u64).collect();
    assert_eq!(
        (&by_groups["counts"], &by_groups["outside"]),
        (&json!(told), &json!(count as u64 - told.iter().sum::<u64>()))
    );
}

#[test]
fn elements_count_in_c_order_and_come_from_pipes_and_several_files() {
    let folder = Folder::new();
    // Both arrays are [[1, 2, 3], [4, 5, 6]] and [[0, 0, 1], [1, 1, 0]], in Fortran order.
    let numbers = folder.file("f.npy", &npy("'<i4'", true, "(2, 3)", &raw_i32(&[1, 4, 2, 5, 3, 6])));
    let keys = folder.file("k.npy", &npy("'<i4'", true, "(2, 3)", &raw_i32(&[0, 1, 0, 1, 1, 0])));
    let (by, groups) = ("0 3\n1 12\n0 6", "9\n12");
    let grouped = ["sum", "-q", "--groups", "2", "--group-by", &keys];
    assert_eq!(run(["sum", "-q", "--by", &keys, &numbers]).text(), by);
    assert_eq!(run(grouped.iter().chain([&numbers.as_str()])).text(), groups);
    let (a, b) = (folder.i32("a.npy", &[1, 2]), folder.i32("b.npy", &[3, 4, 5, 6]));
    assert_eq!(run(["sum", "-q", "--by", &keys, &a, &b]).text(), by);
    assert_eq!(run(grouped.iter().chain([&a.as_str(), &b.as_str()])).text(), groups);
    let raw = raw_i32(&[1, 2, 3, 4, 5, 6]);
    assert_eq!(run_with(["sum", "-q", "--dtype", "i32", "--by", &keys], &raw).text(), by);
    assert_eq!(run_with(grouped.iter().chain([&"--dtype", &"i32"]), &raw).text(), groups);
    // Keys from the pipe.
    let piped = npy_i32(&[0, 0, 1, 1, 1, 0]);
    assert_eq!(run_with(["sum", "-q", "--by", "-", &a, &b], &piped).text(), by);
    assert_eq!(run_with(["sum", "-q", "--groups", "2", "--group-by", "-", &a, &b], &piped).text(), groups);
}

#[test]
fn arrays_of_keys_and_answers() {
    let folder = Folder::new();
    let numbers = folder.i32("x.npy", &[5, 1, 2, 3]);
    let keys = folder.i32("k.npy", &[-3, -3, 8, 8]);
    let out = |name: &str| text(folder.path().join(name));
    let told = run(["sum,argmax", "--by", &keys, "--output", &out("a.npz"), &numbers]);
    assert!(told.text().contains("a.npz: keys, sum, argmax of shape (2,)"), "{}", told.out);
    let mut zip = zip::ZipArchive::new(std::fs::File::open(out("a.npz")).expect("a file")).expect("a zip");
    let names: Vec<String> = zip.file_names().map(String::from).collect();
    assert_eq!(names, ["keys.npy", "sum.npy", "argmax.npy"]);
    let mut read = |name: &str| {
        let mut bytes = vec![];
        zip.by_name(name).expect("a member").read_to_end(&mut bytes).expect("its bytes");
        let file = folder.file(name, &bytes);
        run(["sum", "-q", "--rows", "1", &file]).text().to_string()
    };
    assert_eq!([read("keys.npy"), read("sum.npy"), read("argmax.npy")], ["-3\n8", "6\n5", "0\n1"]);
    // Groups have no keys of their own.
    let groups = folder.i32("g.npy", &[1, 0, 1, 7]);
    let told = run(["sum", "--group-by", &groups, "--groups", "2", "--output", &out("g1.npy"), &numbers]);
    assert!(
        told.text().contains("sum of shape (2,)") && told.out.contains("1 of 4 elements have keys outside 0..2"),
        "{}",
        told.out
    );
    assert_eq!(run(["sum", "-q", "--rows", "1", &out("g1.npy")]).text(), "1\n7");
    run(["sum,max", "-q", "--group-by", &groups, "--groups", "2", "--output", &out("g2.npz"), &numbers]).text();
    let zip = zip::ZipArchive::new(std::fs::File::open(out("g2.npz")).expect("a file")).expect("a zip");
    assert_eq!(zip.file_names().collect::<Vec<_>>(), ["sum.npy", "max.npy"]);
    run(["sum", "--by", &keys, "--output", &out("o.npy"), &numbers]).fails(2, &["o.npy", "keys and answers", "o.npz"]);
}

#[test]
fn keys_that_are_none_are_told() {
    let folder = Folder::new();
    let numbers = folder.i32("x.npy", &[1, 2, 3]);
    let keys = folder.i32("k.npy", &[0, 0, 1]);
    let (short, long) = (folder.i32("short.npy", &[0, 1]), folder.i32("long.npy", &[0, 1, 2, 3]));
    let floats = folder.f32("f.npy", &[0.0, 1.0, 2.0]);
    let raw = folder.file("k.bin", &raw_i32(&[0, 0, 1]));
    for how in [&["--by"][..], &["--groups", "2", "--group-by"]] {
        let of = |keys: &str, rest: &[&str]| run(["sum"].iter().chain(how).chain([&keys]).chain(rest));
        let fails = |keys: &str, rest: &[&str], status, phrases: &[&str]| of(keys, rest).fails(status, phrases);
        fails(&short, &[&numbers], 1, &["short.npy and", "x.npy", "2 elements", "second 3"]);
        fails(&long, &[&numbers], 1, &["long.npy and", "x.npy", "4 elements", "second 3"]);
        fails("missing.npy", &[&numbers], 1, &["missing.npy", "no such file"]);
        fails(&raw, &[&numbers], 2, &["k.bin: is no .npy file; --", "its own type"]);
        fails(&raw, &["--dtype", "i32", &numbers], 2, &["k.bin: is no .npy file"]);
        fails(&keys, &["--rows", "3", &numbers], 2, &["--rows"]);
        fails(&keys, &["--axis", "0", &numbers], 2, &["--axis"]);
        fails(&keys, &["--segments", &keys, &numbers], 2, &["--segments"]);
        fails("-", &["-"], 2, &["named twice"]);
        for (numbers, told) in [(&[1, 2][..], "second 2"), (&[1; 9], "second 9"), (&[], "second 0")] {
            let args = ["sum", "--dtype", "i32"].into_iter().chain(how.iter().copied()).chain([keys.as_str()]);
            run_with(args, &raw_i32(numbers)).fails(1, &["k.npy and standard input", "3 elements", told]);
        }
        let many = folder.i32("many.npy", &(0..300_000).collect::<Vec<_>>());
        if how[0] == "--by" {
            fails(&keys, &["--partial", "p", &numbers], 2, &["--partial is for", "rows or groups", "leave out --by"]);
            fails(&many, &["--memory", "1MiB", &many], 1, &["many.npy", "keys", "bytes each", "--memory of 1048576"]);
        }
        let floats = folder.f32("y.npy", &[1.0; 3]);
        let pairs = run(["dot"].iter().chain(how).chain([&keys.as_str(), &floats.as_str(), &floats.as_str()]));
        pairs.fails(2, &["dot takes pairs", how[how.len() - 1]]);
        let drawn = ["histogram", "--range", "0:4", "--plot", "h.svg"].into_iter().chain(how.iter().copied());
        run(drawn.chain([keys.as_str(), &numbers])).fails(2, &["--plot"]);
    }
    let grouped = |rest: &[&str]| run(["sum", "--group-by", &keys].iter().chain(rest).chain([&numbers.as_str()]));
    grouped(&[]).fails(2, &["--group-by", "--groups N"]);
    grouped(&["--groups", "0"]).fails(2, &["--groups", "0"]);
    grouped(&["--groups", "2", "--by", &keys]).fails(2, &["--by"]);
    grouped(&["--groups", "200000", "--memory", "1MiB"]).fails(1, &["200000 answers", "--memory"]);
    run(["sum", "--groups", "2", &numbers]).fails(2, &["--group-by"]);
    run(["sum", "--group-by", &floats, "--groups", "2", &numbers]).fails(2, &["f.npy", "whole numbers", "f32", "--by"]);
    run(["merge", "--group-by", &keys, "p"]).fails(2, &["leave out --group-by"]);
}

/// More keys than memory, from a file or a pipe, whatever they are.
#[test]
fn keys_of_groups_are_read_beside_the_elements() {
    let folder = Folder::new();
    let count = 400_000usize;
    let keys: Vec<i32> = (0..count).map(|at| (at * 7919 % 13) as i32 - 1).collect();
    let numbers: Vec<i32> = (0..count).map(|at| (at * 104_729 % 1009) as i32).collect();
    let mut want = vec![0i64; 11];
    let mut outside = 0;
    for (&key, &x) in keys.iter().zip(&numbers) {
        match want.get_mut(key as usize) {
            Some(sum) => *sum += i64::from(x),
            None => outside += 1,
        }
    }
    let numbers_file = folder.i32("x.npy", &numbers);
    let halves = [folder.i32("a.npy", &numbers[..123_457]), folder.i32("b.npy", &numbers[123_457..])];
    let shape = format!("({count},)");
    let big: Vec<u8> = keys.iter().flat_map(|&key| i64::from(key).to_be_bytes()).collect();
    // (40, 10000) in Fortran order.
    let turned: Vec<u8> = (0..count).flat_map(|at| (keys[at % 40 * 10_000 + at / 40] as i8).to_le_bytes()).collect();
    let files = [
        folder.i32("k.npy", &keys),
        folder.file("big.npy", &npy("'>i8'", false, &shape, &big)),
        folder.file("turned.npy", &npy("'|i1'", true, "(40, 10000)", &turned)),
    ];
    let check = |file: &str, rest: &[&str], stdin: &[u8]| {
        let args = ["sum,argmax,count_nonzero", "--json", "--groups", "11", "--memory", "1MiB", "--group-by", file];
        let found = run_with(args.iter().chain(rest), stdin).json();
        assert_eq!((&found["answers"]["sum"]["value"], &found["outside"]), (&json!(want), &json!(outside)), "{rest:?}");
        let place = |group: usize| {
            (0..count).filter(|&at| keys[at] == group as i32).max_by_key(|&at| (numbers[at], count - at))
        };
        assert_eq!(found["answers"]["argmax"]["index"][3], json!(place(3)), "{rest:?}");
    };
    for file in &files {
        check(file, &[&numbers_file], b"");
    }
    check(&files[0], &[&halves[0], &halves[1]], b"");
    check(&files[1], &[], &npy_i32(&numbers));
    check("-", &[&numbers_file], &npy_i32(&keys));
    // One file for both.
    let same = run(["sum", "-q", "--group-by", &files[0], "--groups", "3", "--memory", "1MiB", &files[0]]);
    let ones = keys.iter().filter(|&&key| key == 1).count();
    let twos = keys.iter().filter(|&&key| key == 2).count();
    assert_eq!(same.text(), format!("0\n{ones}\n{}", 2 * twos));
    // Keys that end too early, from a pipe, and too many or few.
    let cut = &npy_i32(&keys)[..1_000_000];
    let args = ["sum", "-q", "--groups", "3", "--memory", "1MiB", "--group-by", "-", &numbers_file];
    run_with(args, cut).fails(1, &["standard input: truncated", "(400000,)"]);
    let grouped = ["sum", "-q", "--dtype", "i32", "--groups", "3", "--memory", "1MiB", "--group-by", &files[0]];
    run_with(grouped, &raw_i32(&numbers[1..])).fails(1, &["k.npy and standard input", "400000", "second 399999"]);
    run_with(grouped, &raw_i32(&[&numbers[..], &[1, 2]].concat())).fails(1, &["400000", "second 400002"]);
}

#[test]
fn truth_values_are_keys_and_offsets() {
    let folder = Folder::new();
    let numbers = folder.i32("x.npy", &[5, 1, 2, 3]);
    let bools = folder.file("k.npy", &npy("'|b1'", false, "(4,)", &[1, 1, 0, 1]));
    assert_eq!(run(["sum", "-q", "--by", &bools, &numbers]).text(), "1 6\n0 2\n1 3");
    assert_eq!(run(["sum", "-q", "--group-by", &bools, "--groups", "2", &numbers]).text(), "2\n9");
    let cut = folder.file("o.npy", &npy("'|b1'", false, "(2,)", &[0, 1]));
    assert_eq!(run(["sum", "-q", "--segments", &cut, &numbers]).text(), "5");
}
