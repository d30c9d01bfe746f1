//! Many answers: along axes, of rows; printed, as JSON, as arrays.

use crate::common::*;
use serde_json::{Value, json};

/// 2 × 3 × 4 integers, 0 to 23, in C order or in Fortran order.
fn cube(folder: &Folder, name: &str, fortran: bool) -> String {
    let number = |at: usize| match fortran {
        // Place i + 2 (j + 3 k) holds element (i, j, k).
        true => (at % 2) * 12 + (at / 2 % 3) * 4 + at / 6,
        false => at,
    };
    let data: Vec<u8> = (0..24).flat_map(|at| (number(at) as i32).to_le_bytes()).collect();
    folder.file(name, &npy("'<i4'", fortran, "(2, 3, 4)", &data))
}

fn value(args: &[&str]) -> (Value, Value) {
    let done = run(args).json();
    (done["shape"].clone(), done["value"].clone())
}

#[test]
fn axes_are_numpys() {
    let folder = Folder::new();
    for (fortran, name) in [(false, "c.npy"), (true, "f.npy")] {
        let file = cube(&folder, name, fortran);
        let sum = |axes: &str| value(&["sum", "--json", "--axis", axes, &file]);
        assert_eq!(sum("0"), (json!([3, 4]), json!([[12, 14, 16, 18], [20, 22, 24, 26], [28, 30, 32, 34]])));
        assert_eq!(sum("-1"), (json!([2, 3]), json!([[6, 22, 38], [54, 70, 86]])));
        assert_eq!(sum("0,2"), (json!([3]), json!([60, 92, 124])));
        assert_eq!(sum("-3,1,-1"), (json!([]), json!(276)));
        assert_eq!(
            value(&["max", "--json", "--axis", "1", "--keepdims", &file]),
            (json!([2, 1, 4]), json!([[[8, 9, 10, 11]], [[20, 21, 22, 23]]]))
        );
        // A position counts in C order, however the array lies.
        let found = run(["argmax", "--json", "--axis", "0,2", &file]).json();
        assert_eq!((&found["value"], &found["index"]), (&json!([15, 19, 23]), &json!([7, 7, 7])));
        assert_eq!(value(&["min", "--json", "--rows", "12", &file]), (json!([2]), json!([0, 12])));
        let both = value(&["minmax", "--json", "--axis", "2", &file]);
        assert_eq!(both.1, json!({"min": [[0, 4, 8], [12, 16, 20]], "max": [[3, 7, 11], [15, 19, 23]]}));
    }
}

#[test]
fn rows_of_raw_numbers_and_of_several_files() {
    let folder = Folder::new();
    let raw = folder.file("raw.bin", &raw_i32(&[1, 2, 3, 4, 5, 6]));
    assert_eq!(run(["sum", "-q", "--rows", "2", "--dtype", "i32", &raw]).text(), "3\n7\n11");
    assert_eq!(run(["argmax", "-q", "--rows", "3", "--dtype", "i32", &raw]).text(), "3 2\n6 2");
    let (a, b) = (folder.i32("a.npy", &[1, 2, 3]), folder.i32("b.npy", &[4, 5, 6, 7, 8]));
    assert_eq!(run(["sum", "-q", "--rows", "4", &a, &b]).text(), "10\n26");
    run(["sum", "--rows", "4", "--dtype", "i32", &raw]).fails(1, &["6 elements", "rows of 4"]);
    run(["sum", "--rows", "0", &a]).fails(2, &["0"]);
    let pipe = run_with(["sum", "--rows", "2", "--dtype", "i32", "-"], &raw_i32(&[1, 2]));
    pipe.fails(2, &["--rows", "name a file"]);
}

#[test]
fn the_table_names_places_and_the_shape() {
    let folder = Folder::new();
    let file = cube(&folder, "c.npy", false);
    let done = run(["argmin", "--axis", "2", &file]);
    for words in ["1, 2", "argmin", "index", "6 answers of shape (2, 3), each over 4 elements"] {
        assert!(done.text().contains(words), "{}", done.text());
    }
    let long = folder.i32("long.npy", &(0..1000).collect::<Vec<_>>());
    let done = run(["sum", "--rows", "2", &long]);
    assert!(done.text().contains("500 answers of shape (500,)") && done.text().lines().count() < 40, "{}", done.text());
    assert!(done.text().contains('…') && done.text().contains("1997"), "{}", done.text());
}

#[test]
fn arrays_are_what_numpy_reads() {
    let folder = Folder::new();
    let file = cube(&folder, "c.npy", false);
    let out = |name: &str| folder.path().join(name).display().to_string();
    let read = |path: &str| std::fs::read(path).expect("an array");
    let header = |bytes: &[u8]| {
        let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        assert_eq!((&bytes[..8], (10 + length) % 64), (&b"\x93NUMPY\x01\x00"[..], 0));
        (String::from_utf8_lossy(&bytes[10..10 + length]).trim().to_string(), bytes[10 + length..].to_vec())
    };
    let path = out("sum.npy");
    assert!(run(["sum", "--axis", "2", "--output", &path, &file]).text().contains("wrote"));
    let want: Vec<u8> = [6i64, 22, 38, 54, 70, 86].iter().flat_map(|x| x.to_le_bytes()).collect();
    assert_eq!(header(&read(&path)), ("{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), }".into(), want));
    // And read back by the program itself.
    assert_eq!(run(["sum", "-q", &path]).text(), "276");
    run(["sum", "--axis", "2", "--output", &path, &file]).fails(1, &["exists already", "--force"]);
    run(["max", "--axis", "0,1", "--output", &path, "--force", &file]).text();
    assert_eq!(header(&read(&path)).0, "{'descr': '<i4', 'fortran_order': False, 'shape': (4,), }");
    let place = out("place.npy");
    run(["argmax", "--axis", "1", "--output", &place, &file]).text();
    let want: Vec<u8> = [2i64; 8].iter().flat_map(|x| x.to_le_bytes()).collect();
    assert_eq!(header(&read(&place)), ("{'descr': '<i8', 'fortran_order': False, 'shape': (2, 4), }".into(), want));
    let all = out("all.npy");
    assert_eq!(run(["mean", "--json", "--output", &all, &file]).json()["value"], json!(11.5));
    assert_eq!(
        header(&read(&all)),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (), }".into(), 11.5f64.to_le_bytes().to_vec())
    );
    let counts = out("counts.npy");
    run(["histogram", "--bins", "2", "--range", "0:24", "--axis", "0", "--output", &counts, &file]).text();
    assert_eq!(header(&read(&counts)).0, "{'descr': '<u8', 'fortran_order': False, 'shape': (3, 4, 2), }");
    run(["minmax", "--axis", "0", "--output", &out("no.npy"), &file]).fails(2, &["minmax has 2 numbers", "no.npz"]);
    // Before anything is read.
    run(["stats", "--output", &out("no.npy"), &file]).fails(2, &["stats has 7 numbers", "no.npz"]);
    assert!(!folder.path().join("no.npy").exists());
}

#[test]
fn what_does_not_go_together_is_told() {
    let folder = Folder::new();
    let file = cube(&folder, "c.npy", false);
    run(["sum", "--axis", "3", &file]).fails(1, &["axis 3", "[2, 3, 4]"]);
    let scalar = folder.file("scalar.npy", &npy("'<f4'", false, "()", &raw_f32(&[3.0])));
    run(["sum", "--axis", "0", &scalar]).fails(1, &["axis 0", "[]", "no axes", "as a whole"]);
    run(["sum", "--axis", "0,-3", &file]).fails(1, &["twice"]);
    run(["sum", "--axis", "0", &file, &file]).fails(2, &["--axis", "one array"]);
    run(["sum", "--axis", "x", &file]).fails(2, &["x"]);
    run(["sum", "--axis", "0", "--rows", "2", &file]).fails(2, &["--rows"]);
    run(["sum", "--keepdims", &file]).fails(2, &["--axis"]);
    let raw = folder.file("raw.bin", &raw_i32(&[1, 2]));
    run(["sum", "--axis", "0", "--dtype", "i32", &raw]).fails(2, &["--axis", "--rows"]);
    run(["sum", "--axis", "0", "--partial", "p", "--output", "o", &file]).fails(2, &["--partial", "--output"]);
    let floats = folder.f32("x.npy", &[1.0, 2.0]);
    run(["dot", "--rows", "1", &floats, &floats]).fails(2, &["dot takes pairs", "--rows"]);
    let long = folder.i32("long.npy", &vec![0; 1 << 16]);
    run(["stats", "--rows", "1", "--memory", "1MiB", &long]).fails(1, &["65536 answers", "--memory"]);
    // What all operators take is told at once: with as much as that it works.
    let list = ["sum,argmax,variance,hash,count_if(>0)", "-q", "--rows", "4", &long, "--memory"];
    let refused = run([&list[..], &["1MiB"]].concat());
    refused.fails(1, &["16384 answers take about "]);
    let bytes = refused.err.split("about ").nth(1).and_then(|rest| rest.split(' ').next()).expect("bytes").to_string();
    assert_eq!(run([&list[..], &[&bytes]].concat()).text().lines().count(), 5 * 16_384);
}

/// Parts that end anywhere, on the CPU and on an adapter; memory for a small part of the file.
#[test]
fn arrays_larger_than_the_memory() {
    let folder = Folder::new();
    let (rows, columns) = (3001usize, 701usize);
    let numbers: Vec<i32> = (0..rows * columns).map(|at| (at * 7919 % 10_007) as i32).collect();
    let data: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    let file = folder.file("m.npy", &npy("'<i4'", false, &format!("({rows}, {columns})"), &data));
    let down: Vec<i64> = (0..columns).map(|c| (0..rows).map(|r| i64::from(numbers[r * columns + c])).sum()).collect();
    let along: Vec<i64> = numbers.chunks(columns).map(|row| row.iter().map(|&x| i64::from(x)).sum()).collect();
    for (axis, want) in [("0", down), ("1", along)] {
        let found = run(["sum", "-q", "--memory", "2MiB", "--axis", axis, &file]);
        let found: Vec<i64> = found.text().lines().map(|line| line.parse().expect("a number")).collect();
        assert!(found == want, "axis {axis}");
    }
}
