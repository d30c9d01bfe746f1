//! An answer for each segment, by offsets in a file.

use crate::common::*;
use serde_json::json;

fn offsets(folder: &Folder, name: &str, descr: &str, bytes: &[u8], count: usize) -> String {
    folder.file(name, &npy(descr, false, &format!("({count},)"), bytes))
}

#[test]
fn segments_by_offsets_of_any_integer_type() {
    let folder = Folder::new();
    let numbers = folder.i32("x.npy", &[5, 1, 2, 3, 4, 9, 7]);
    let at: [u8; 5] = [1, 3, 3, 5, 6];
    let wide = |bytes: usize| at.iter().flat_map(|&at| [vec![at], vec![0; bytes - 1]].concat()).collect::<Vec<u8>>();
    for (descr, bytes) in [("'|u1'", 1), ("'<u2'", 2), ("'<i4'", 4), ("'<u4'", 4), ("'<i8'", 8), ("'<u8'", 8)] {
        let file = offsets(&folder, "o.npy", descr, &wide(bytes), 5);
        let done = run(["sum", "--json", "--segments", &file, &numbers]).json();
        assert_eq!((&done["shape"], &done["value"], &done["count"]), (&json!([4]), &json!([3, 0, 7, 9]), &json!(7)));
        assert_eq!(run(["argmax", "-q", "--segments", &file, &numbers]).text(), "2 1\nnone\n4 1\n9 0");
    }
    let i64s = offsets(&folder, "o.npy", "'<i8'", &wide(8), 5);
    let out = format!("{}/sums.npy", folder.path().display());
    run(["sum", "--segments", &i64s, "--output", &out, &numbers]).text();
    assert_eq!(run(["sum", "-q", &out]).text(), "19");
    // Elements count in C order, however the array lies.
    let lies: Vec<u8> = [1i32, 4, 2, 5, 3, 6].iter().flat_map(|x| x.to_le_bytes()).collect();
    let fortran = folder.file("f.npy", &npy("'<i4'", true, "(2, 3)", &lies));
    let cut = folder.i32("cut.npy", &[0, 2, 6]);
    assert_eq!(run(["sum", "-q", "--segments", &cut, &fortran]).text(), "3\n18");
    // Numbers from a pipe, and cut between files.
    let (a, b) = (folder.i32("a.npy", &[5, 1, 2]), folder.i32("b.npy", &[3, 4, 9, 7]));
    assert_eq!(run(["sum", "-q", "--segments", &i64s, &a, &b]).text(), "3\n0\n7\n9");
    let pipe = run_with(["sum", "-q", "--segments", &i64s, "--dtype", "i32", "-"], &raw_i32(&[5, 1, 2, 3, 4, 9]));
    assert_eq!(pipe.text(), "3\n0\n7\n9");
}

#[test]
fn offsets_that_are_none_are_told() {
    let folder = Folder::new();
    let numbers = folder.i32("x.npy", &[1, 2, 3]);
    let of = |name: &str, at: &[i32]| folder.i32(name, at);
    let segments = |file: &str| run(["sum", "--segments", file, &numbers]);
    segments(&of("fall.npy", &[0, 2, 1])).fails(1, &["fall.npy", "offset 2 is 1", "2"]);
    segments(&of("past.npy", &[0, 4])).fails(1, &["past.npy", "offset 1 is 4", "3 elements"]);
    segments(&of("below.npy", &[-1, 2])).fails(1, &["below.npy", "offset 0 is -1"]);
    segments(&of("none.npy", &[])).fails(1, &["none.npy", "one offset more"]);
    let floats = offsets(&folder, "f.npy", "'<f4'", &[0; 8], 2);
    segments(&floats).fails(2, &["f.npy", "whole numbers", "f32"]);
    let good = of("good.npy", &[0, 3]);
    run(["sum", "--segments", &good, "--rows", "3", &numbers]).fails(2, &["--rows"]);
    run(["sum", "--segments", &good, "--partial", "p", &numbers]).fails(2, &["--segments"]);
    run(["histogram", "--range", "0:4", "--plot", "h.svg", "--segments", &good, &numbers]).fails(2, &["--plot"]);
    run(["sum", "--segments", "-", "-"]).fails(2, &["named twice"]);
    let many = of("many.npy", &vec![0; 140_000]);
    run(["sum", "--segments", &many, "--memory", "1MiB", &numbers]).fails(1, &["140000 offsets", "--memory"]);
    let pipe = run_with(["sum", "--segments", &good, "--dtype", "i32", "-"], &raw_i32(&[1, 2]));
    pipe.fails(1, &["offset 1 is 3", "2 elements"]);
}
