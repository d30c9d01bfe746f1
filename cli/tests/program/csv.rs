//! `--csv`: what it prints reads back as what `--json` says.

use crate::common::*;
use serde_json::json;

#[test]
fn answers_are_rows() {
    let folder = Folder::new();
    let file = folder.f32("x.npy", &[1.5, -2.0, 0.1, 7.25]);
    let out = run_where(&adapter_for("top", "f32"), ["sum,minmax,argmax,count,top(2)", "--csv", &file]).out;
    let sum = 1.5f64 - 2.0 + f64::from(0.1f32) + 7.25;
    let want = format!(
        "operator,part,value,index\nsum,value,{},\nminmax,min,-2,\nminmax,max,7.25,\nargmax,value,7.25,3\ncount,value,4,\ntop,1,7.25,3\ntop,2,1.5,0\n",
        sum as f32
    );
    assert_eq!(out, want);
    let none = folder.f32("none.npy", &[]);
    assert_eq!(run(["max", "--csv", &none]).out, "operator,part,value,index\nmax,value,,\n");
    let nan = folder.f32("nan.npy", &[f32::NAN]);
    assert_eq!(run(["sum", "--csv", &nan]).out, "operator,part,value,index\nsum,value,nan,\n");
    let left_out = run(["sum", "--csv", "--nan", "ignore", &nan]);
    assert_eq!(left_out.out, "operator,part,value,index\nsum,value,0,\n");
    assert!(left_out.err.contains("left out: 1 NaN"), "{left_out:?}");
}

#[test]
fn bins_have_edges() {
    let folder = Folder::new();
    let file = folder.f32("x.npy", &[0.5, 1.5, 1.75, 9.0]);
    let out = run(["histogram", "--bins", "2", "--range", "0:2", "--csv", &file]).out;
    let rows =
        "histogram,bin,0,1,1,\nhistogram,bin,1,2,2,\nhistogram,below,,,0,\nhistogram,above,,,1,\nhistogram,nan,,,0,\n";
    assert_eq!(out, format!("operator,part,low,high,value,index\n{rows}"));
    let out =
        run(["histogram2d", "--bins", "1,2", "--range", "0:2", "--csv", &file, &folder.f32("y.npy", &[0.0; 4])]).out;
    assert!(out.contains("\nhistogram2d,bin,0 0,2 1,3,\nhistogram2d,bin,0 1,2 2,0,\n"), "{out}");
}

#[test]
fn many_answers_are_a_row_each() {
    let folder = Folder::new();
    let file = folder.f32("x.npy", &[1.0, 5.0, 3.0, 2.0, 4.0, 6.0]);
    let out = run(["argmax,sum,stats", "--rows", "3", "--csv", &file]).out;
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 3, "{out}");
    assert!(lines[0].starts_with("row,argmax,argmax.index,sum,stats.count,"), "{out}");
    assert!(lines[1].starts_with("0,5,1,9,3,") && lines[2].starts_with("1,6,2,12,3,"), "{out}");
    assert!(lines.iter().all(|line| line.split(',').count() == lines[0].split(',').count()), "{out}");
    let bytes: Vec<u8> = (0..12).flat_map(|x| (x as f32).to_le_bytes()).collect();
    let cube = folder.file("c.npy", &npy("'<f4'", false, "(2, 2, 3)", &bytes));
    assert_eq!(run(["sum", "--axis", "2", "--csv", &cube]).out, "at0,at1,sum\n0,0,3\n0,1,12\n1,0,21\n1,1,30\n");
    let out = run_where(&adapter_for("top", "f32"), ["top", "--k", "1", "--rows", "3", "--csv", &file]).out;
    assert_eq!(out, "row,top.1,top.1.index\n0,5,1\n1,6,2\n");
    let matrix = folder.file("m.npy", &npy("'<f4'", false, "(3, 4)", &bytes));
    for (axis, told) in [("0", "column,sum\n0,12\n1,15\n2,18\n3,21\n"), ("1", "row,sum\n0,6\n1,22\n2,38\n")] {
        assert_eq!(run(["sum", "--axis", axis, "--csv", &matrix]).out, told);
        let name = told.split(',').next().unwrap();
        assert!(run(["sum", "--axis", axis, &matrix]).out.contains(&format!("│ {name} ")), "{name}");
    }
    let ends = folder.i32("ends.npy", &[0, 2, 6]);
    assert_eq!(run(["sum", "--segments", &ends, "--csv", &file]).out, "segment,sum\n0,6\n1,15\n");
    let keys = folder.i32("k.npy", &[7, 7, 7, 8, 8, 9]);
    assert_eq!(run(["max", "--by", &keys, "--csv", &file]).out, "key,max\n7,5\n8,4\n9,6\n");
}

#[test]
fn columns_stand_before_their_rows() {
    let folder = Folder::new();
    let file = folder.file("t.csv", b"a,\"b, c\"\n1,2\n3,4\n");
    let out = run(["sum,max", "--columns", "a,\"b, c\"", "--csv", &file]).out;
    let rows = "a,sum,value,4,\na,max,value,3,\n\"b, c\",sum,value,6,\n\"b, c\",max,value,4,\n";
    assert_eq!(out, format!("column,operator,part,value,index\n{rows}"));
    run(["sum", "--csv", "--json", &file]).fails(2, &["--csv", "--json"]);
    assert_eq!(json!(run(["sum", "--columns", "a", "--csv", &file]).status), json!(0));
}
