//! All that an input can be: orders of axes and bytes, widths, shapes, several files, standard input, pipes.

use crate::common::*;
use serde_json::json;

fn value(operator: &str, file: &str) -> serde_json::Value {
    run([operator, "--json", file]).json()["value"].clone()
}

#[test]
fn big_endian_numbers() {
    let folder = Folder::new();
    let bytes: Vec<u8> = [1.5f32, -2.0].iter().flat_map(|x| x.to_be_bytes()).collect();
    assert_eq!(value("sum", &folder.file("f.npy", &npy("'>f4'", false, "(2,)", &bytes))), -0.5);
    let bytes: Vec<u8> = [70_000i32, -1].iter().flat_map(|x| x.to_be_bytes()).collect();
    assert_eq!(value("sum", &folder.file("i.npy", &npy("'>i4'", false, "(2,)", &bytes))), 69_999);
}

#[test]
fn narrow_numbers_are_widened() {
    let folder = Folder::new();
    for (descr, bytes, dtype, sum) in [
        ("'|b1'", &[1u8, 0, 1, 1][..], "bool", json!(3)),
        ("'|u1'", &[255, 1, 0, 0], "u8", json!(256)),
        ("'|i1'", &[255, 255, 0, 1], "i8", json!(-1)),
        ("'<u2'", &[255, 255, 1, 0], "u16", json!(65536)),
        ("'>i2'", &[255, 255, 0, 3], "i16", json!(2)),
        ("'<f2'", &[0, 0x3c, 0, 0xb8], "f16", json!(0.5)),
    ] {
        let count = bytes.len() / descr[3..4].parse::<usize>().unwrap();
        let file = folder.file("x.npy", &npy(descr, false, &format!("({count},)"), bytes));
        let json = run(["sum", "--json", &file]).json();
        assert_eq!((&json["value"], &json["dtype"], &json["count"]), (&sum, &json!(dtype), &json!(count)), "{descr}");
    }
}

#[test]
fn scalars_and_header_versions() {
    let folder = Folder::new();
    assert_eq!(value("sum", &folder.file("0d.npy", &npy("'<i4'", false, "()", &raw_i32(&[7])))), 7);
    let header = b"{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }\n";
    let mut bytes = b"\x93NUMPY\x02\x00".to_vec();
    bytes.extend((header.len() as u32).to_le_bytes());
    bytes.extend(header);
    bytes.extend(raw_i32(&[4, 5]));
    assert!(header.len() & 3 != 0, "the numbers should be at an odd place");
    assert_eq!(value("sum", &folder.file("2.npy", &bytes)), 9);
}

#[test]
fn fortran_order_counts_in_c_order() {
    let folder = Folder::new();
    // [[1, 9, 0], [9, 0, 1]]: column by column in the file.
    let bytes = npy("'<i4'", true, "(2, 3)", &raw_i32(&[1, 9, 9, 0, 0, 1]));
    let file = folder.file("f.npy", &bytes);
    let index = |operator: &str| run([operator, "--json", &file]).json()["index"].clone();
    assert_eq!(index("argmax"), 1);
    assert_eq!(index("argmin"), 2);
    assert_eq!(index("stats"), json!({"min": 2, "max": 1}));
    assert_eq!(value("sum", &file), 20);
    assert_eq!(run_with(["sum", "-q"], &bytes).text(), "20");
    run_with(["argmax"], &bytes).fails(1, &["standard input", "Fortran", "name a file"]);
    // One long axis only: both orders are the same.
    let line = npy("'<i4'", true, "(1, 3)", &raw_i32(&[1, 9, 9]));
    assert_eq!(run_with(["argmax", "-q"], &line).text(), "9 1");
}

#[test]
fn a_large_fortran_array() {
    let folder = Folder::new();
    let (rows, columns) = (700i32, 1500i32);
    let numbers: Vec<i32> = (0..columns).flat_map(|c| (0..rows).map(move |r| (r * 31 + c * 17) % 1000)).collect();
    let file = folder.file("f.npy", &npy("'<i4'", true, "(700, 1500)", &raw_i32(&numbers)));
    let c_order = (0..rows).flat_map(|r| (0..columns).map(move |c| (r * 31 + c * 17) % 1000));
    let first = c_order.enumerate().find(|&(_, x)| x == 999).unwrap().0;
    for memory in ["1MiB", "512MiB"] {
        let json = run(["argmax", "--memory", memory, "--json", &file]).json();
        assert_eq!((&json["value"], &json["index"]), (&json!(999), &json!(first)));
        assert_eq!(json["count"], rows * columns);
    }
}

#[test]
fn several_files_are_one_input() {
    let folder = Folder::new();
    let (a, b) = (folder.f32("a.npy", &[1.0, 2.0]), folder.f32("b.npy", &[-5.0, 7.0, 7.0]));
    let raw = folder.file("c.bin", &raw_f32(&[7.5]));
    let json = run(["stats", "--dtype", "f32", "--json", &a, &b, &raw]).json();
    assert_eq!(json["count"], 6);
    assert_eq!(json["index"], json!({"min": 2, "max": 5}));
    assert_eq!(json["value"]["sum"], 19.5);
    assert_eq!(run(["argmax", "-q", &a, &b]).text(), "7 3");
    let through_stdin = run_with(["argmax", "-q", &a, "-"], &npy_f32(&[0.0, 8.0]));
    assert_eq!(through_stdin.text(), "8 3");
    let ints = folder.i32("i.npy", &[1]);
    run(["sum", &a, &ints]).fails(1, &["a.npy holds f32", "i.npy holds i32"]);
}

#[test]
fn standard_input() {
    assert_eq!(run_with(["sum", "-q"], &npy_i32(&[1, 2, 3])).text(), "6");
    assert_eq!(run_with(["sum", "-q", "--dtype", "f32"], &raw_f32(&[0.5, 1.0])).text(), "1.5");
    assert_eq!(run_with(["sum", "-q", "--dtype", "i32", "-"], &raw_i32(&[-5])).text(), "-5");
    run_with(["sum"], &raw_f32(&[0.5])).fails(2, &["standard input", "--dtype"]);
    run_with(["sum", "--dtype", "u32"], &[0; 6]).fails(1, &["standard input", "6 bytes", "multiple of 4"]);
    run_with(["sum"], b"").fails(1, &["standard input", "is empty (0 bytes)"]);
    run_with(["sum", "-", "-"], b"").fails(2, &["twice"]);
}

#[test]
fn an_empty_raw_part_has_no_numbers() {
    let folder = Folder::new();
    let (empty, one) = (folder.file("empty.bin", b""), folder.file("one.bin", &raw_f32(&[1.0])));
    let raw =
        |operator: &str, files: &[&str]| run([operator, "-q", "--dtype", "f32"].iter().chain(files)).text().to_string();
    assert_eq!(raw("sum", &[&empty]), "0");
    assert_eq!(raw("sum", &["/dev/null"]), "0");
    assert_eq!(raw("min", &[&empty, "/dev/null"]), "none");
    assert_eq!(raw("argmax", &[&empty, &one, &empty]), "1 0");
    assert_eq!(raw("sum", &[&one, &empty, "/dev/null", &one]), "2");
    assert_eq!(raw("dot", &[&empty, &empty]), "0");
    assert_eq!(run_with(["sum", "-q", "--dtype", "f32"], b"").text(), "0");
    run_with(["sum"], b"").fails(1, &["is empty (0 bytes)"]);
    run(["dot", "--dtype", "f32", &one, &empty]).fails(1, &["has 1 elements", "has 0", "need equal length"]);
}

#[test]
fn parts_join_in_little_memory() {
    // 3 MB through parts of 256 KiB.
    let numbers: Vec<i32> = (0..750_001).collect();
    let args = ["argmax", "--memory", "1MiB", "-q"];
    assert_eq!(run_with(args, &npy_i32(&numbers)).text(), "750000 750000");
    assert_eq!(run_with(args.iter().chain(&["--dtype", "i32"]), &raw_i32(&numbers)).text(), "750000 750000");
    let folder = Folder::new();
    let file = folder.i32("x.npy", &numbers);
    assert_eq!(run(args.iter().chain(&[file.as_str()])).text(), "750000 750000");
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| ((x % 30_000) as i16).to_be_bytes()).collect();
    let narrow = folder.file("n.npy", &npy("'>i2'", false, "(750001,)", &bytes));
    assert_eq!(run(args.iter().chain(&[narrow.as_str()])).text(), "29999 29999");
}

#[test]
fn large_files_follow_odd_ones() {
    let folder = Folder::new();
    for (dtype, odd) in [("u32", 4), ("f16", 2), ("f16", 6)] {
        // Large enough for several threads to copy.
        let mut large = vec![0u8; 20 << 20];
        large[(20 << 20) - 2..].copy_from_slice(&half::f16::ONE.to_le_bytes());
        let large = folder.file("large.bin", &large);
        let odd = folder.file("odd.bin", &vec![0; odd]);
        let done = run(["max", "-q", "--dtype", dtype, &odd, &large, &odd, &large]);
        assert_eq!(done.text(), if dtype == "u32" { "1006632960" } else { "1" });
        let done = run(["sum", "-q", "--dtype", dtype, &odd, &large, &odd, &large]);
        assert_eq!(done.text(), if dtype == "u32" { "2013265920" } else { "2" });
    }
}

#[test]
fn trailing_bytes_are_told_and_ignored() {
    let folder = Folder::new();
    let mut bytes = npy_i32(&[1, 2]);
    bytes.extend(b"tail");
    let done = run(["sum", "-q", &folder.file("x.npy", &bytes)]);
    assert_eq!(done.text(), "3");
    assert!(done.err.contains("warning") && done.err.contains("4 bytes"), "{}", done.err);
    let done = run_with(["sum", "-q"], &bytes);
    assert_eq!(done.text(), "3");
    assert!(done.err.contains("warning: standard input"), "{}", done.err);
}

#[cfg(unix)]
#[test]
fn named_pipes() {
    let folder = Folder::new();
    let names = ["a.npy", "b.npy"].map(|name| text(folder.path().join(name)));
    assert!(std::process::Command::new("mkfifo").args(&names).status().unwrap().success());
    // One writer, one pipe after the other, each more than a pipe holds.
    let writer = std::thread::spawn({
        let names = names.clone();
        move || names.iter().for_each(|name| std::fs::write(name, npy_i32(&vec![1; 100_000])).unwrap())
    });
    assert_eq!(run(["sum", "-q"].map(String::from).iter().chain(&names)).text(), "200000");
    writer.join().unwrap();
    assert_eq!(run_with(["sum", "-q", "/dev/stdin"], &npy_i32(&[4])).text(), "4");
    // One pipe by two names: the second would wait for ever.
    let other = text(folder.path().join("other.npy"));
    std::os::unix::fs::symlink(&names[0], &other).unwrap();
    let pairs: [(&str, &str); 4] =
        [(&names[0], &names[0]), (&names[0], &other), ("-", "/dev/stdin"), ("/dev/stdin", "/dev/fd/0")];
    for (first, second) in pairs {
        for operator in ["dot", "sum", "merge"] {
            let mut command = std::process::Command::new("timeout");
            command.args(["60", env!("CARGO_BIN_EXE_treefold"), operator, first, second]);
            finish(command, b"").fails(2, &["is a pipe that is named twice"]);
        }
    }
}
