//! Histograms of pairs: bins of either input, ranges of their own, tables, arrays; counts are NumPy's.

use crate::common::*;
use serde_json::json;

/// As NumPy makes them: `(i * 37 % 101) / 64 - 0.75` and `(i * 53 % 97) / 16`, exact in f32.
fn inputs(folder: &Folder) -> [String; 2] {
    let x: Vec<f32> = (0..200).map(|i| (i * 37 % 101) as f32 / 64.0 - 0.75).collect();
    let y: Vec<f32> = (0..200).map(|i| (i * 53 % 97) as f32 / 16.0).collect();
    [folder.f32("x.npy", &x), folder.f32("y.npy", &y)]
}

#[test]
fn counts_are_those_of_numpy() {
    let folder = Folder::new();
    let [x, y] = inputs(&folder);
    let args = ["histogram2d", "--bins", "2,3", "--range", "-0.5:0.5", "--range-y", "0:6", &x, &y];
    let json = run([&args[..], &["--json"]].concat()).json();
    assert_eq!(json["value"], json!({"bins": [[19, 20, 24], [26, 20, 19]], "outside": 72, "nan": 0}));
    assert_eq!((&json["shape"], &json["count"], &json["dtype"]), (&json!([2, 3]), &json!(200), &json!("f32x2")));
    assert_eq!((&json["edges"], &json["edges_y"]), (&json!([-0.5, 0.0, 0.5]), &json!([0.0, 2.0, 4.0, 6.0])));
    // Without a range either input has its own.
    let own = run(["histogram2d", "--json", "--bins", "3", &x, &y]).json();
    assert_eq!(own["value"], json!({"bins": [[27, 19, 21], [19, 25, 21], [21, 22, 25]], "outside": 0, "nan": 0}));
    assert_eq!((&own["edges"][3], &own["edges_y"][3]), (&json!(0.8125), &json!(6.0)));
    // Every edge, and whole numbers; of the second where it has its own, else of both.
    let edges = run(["histogram2d", "--json", "--edges", "-0.5,0,0.1,0.8125", "--integers-y", "0:2", &x, &y]).json();
    assert_eq!(edges["value"], json!({"bins": [[2, 9, 13], [1, 5, 2], [7, 14, 17]], "outside": 130, "nan": 0}));
    assert_eq!((&edges["edges"], &edges["integers_y"]), (&json!([-0.5, 0.0, 0.1, 0.8125]), &json!([0, 1, 2])));
    let both = run(["histogram2d", "--json", "--integers", "0:1", &x, &y]).json();
    assert_eq!(
        (&both["integers"], &both["integers_y"], &both["shape"]),
        (&json!([0, 1]), &json!([0, 1]), &json!([2, 2]))
    );
}

#[test]
fn weights_are_summed_exactly_by_bin() {
    let folder = Folder::new();
    let x = folder.f32("x.npy", &[0.5, 1.5, 0.25, 1.0, 0.0, -1.0, f32::NAN, 2.0]);
    let y = folder.f32("y.npy", &[1.0, 1.0, 1.0, 2.0, 1.0, 2.0, 1.0, 1.0]);
    let weights = folder.f32("w.npy", &[16_777_216.0, 0.5, 1.0, 0.25, -16_777_216.0, 3.0, 5.0, 8.0]);
    let args = ["histogram2d", "--bins", "2", "--range", "0:2", "--integers-y", "1:2", "--weights", &weights, &x, &y];
    for adapter in ["cpu", &adapter()] {
        let mut command = program();
        command.args(args).args(["--json", "--adapter", adapter]);
        let json = finish(command, b"").json();
        assert_eq!(json["value"], json!({"bins": [[1.0, 0.0], [8.5, 0.25]], "outside": 3.0, "nan": 5.0}));
        assert_eq!((&json["weights"], &json["count"], &json["exact"]), (&json!(weights), &json!(8), &json!(true)));
    }
    let table = run(args);
    assert!(table.text().contains("x \\ y: weight") && table.out.contains("outside 3, nan 5"), "{}", table.out);
    // Arrays in Fortran order, whose weights are in C order: the same numbers belong together.
    let array = |name: &str, fortran, numbers: [f32; 4]| {
        folder.file(name, &npy("'<f4'", fortran, "(2, 2)", &raw_f32(&numbers)))
    };
    let [x, y] = [array("fx.npy", true, [0.5, 1.5, 0.5, 1.5]), array("fy.npy", true, [1.0, 1.0, 2.0, 2.0])];
    let weights = array("cw.npy", false, [1.0, 2.0, 4.0, 8.0]);
    let args = ["histogram2d", "--json", "--bins", "2", "--range", "0:2", "--integers-y", "1:2", "--weights", &weights];
    assert_eq!(run([&args[..], &[&x, &y]].concat()).json()["value"]["bins"], json!([[1.0, 2.0], [4.0, 8.0]]));
}

#[test]
fn people_see_a_table_and_write_an_array() {
    let folder = Folder::new();
    let x = folder.f32("x.npy", &[0.0, 0.9, 0.9, 2.0, f32::NAN, 7.0]);
    let y = folder.f32("y.npy", &[1.0, 2.0, 2.0, 3.0, 1.0, 1.0]);
    let counts = text(folder.path().join("h.npy"));
    let args = ["histogram2d", "--bins", "2", "--range", "0:2", "--integers-y", "1:3", &x, &y];
    let table = run(args);
    for line in ["│ x \\ y: count ┆ 1 ┆ 2 ┆ 3 │", "│ 0 to 1       ┆ 1 ┆ 2 ┆ 0 │", "│ 1 to 2       ┆ 0 ┆ 0 ┆ 1 │"]
    {
        assert!(table.text().contains(line), "{line}: {}", table.out);
    }
    assert!(
        table.out.contains("2 by 3 bins; outside 1, nan 1") && table.out.contains("6 pairs of f32"),
        "{}",
        table.out
    );
    assert_eq!(run([&args[..], &["-q"]].concat()).text().lines().nth(1), Some("bin 2"));
    run([&args[..], &["--output", &counts]].concat()).text();
    let written = std::fs::read(&counts).unwrap();
    assert!(written.ends_with(&[1u64, 2, 0, 0, 0, 1].map(u64::to_le_bytes).concat()), "{written:?}");
    let head = String::from_utf8_lossy(&written);
    assert!(head.contains("'<u8'") && head.contains("(2, 3)"), "{head}");
    let many = run(["histogram2d", "--bins", "100", "--range", "0:2", &x, &y]);
    assert!(many.text().contains("a cell has up to 5 by 13 bins"), "{}", many.out);
}

#[test]
fn partials_are_of_one_shape() {
    let folder = Folder::new();
    let [x, y] = inputs(&folder);
    let [a, b] = ["a.part", "b.part"].map(|name| text(folder.path().join(name)));
    let base = ["histogram2d", "--range", "-1:1", "--range-y", "0:6", "-q", &x, &y];
    run([&base[..], &["--bins", "2,3", "--partial", &a]].concat()).text();
    run([&base[..], &["--bins", "3,2", "--partial", &b]].concat()).text();
    let whole = run(["histogram2d", "--json", "--bins", "2,3", "--range", "-1:1", "--range-y", "0:6", &x, &y]).json();
    let merged = run(["merge", "--json", &a, &a]).json();
    let doubled: Vec<u64> = bins(&whole).iter().map(|count| 2 * count).collect();
    assert_eq!(bins(&merged), doubled);
    run(["merge", &a, &b]).fails(1, &["bins=2", "bins_y=3", "bins=3", "merge like with like"]);
    run(["histogram2d", "--partial", &b, "--force", &x, &y]).fails(2, &["--partial", "--range", "would not merge"]);
}

fn bins(json: &serde_json::Value) -> Vec<u64> {
    let rows = json["value"]["bins"].as_array().unwrap();
    rows.iter().flat_map(|row| row.as_array().unwrap()).map(|count| count.as_u64().unwrap()).collect()
}

#[test]
fn what_makes_no_bins_is_told() {
    let folder = Folder::new();
    let [x, y] = inputs(&folder);
    let told = |args: &[&str]| run([&["histogram2d", &x, &y], args].concat());
    told(&["--bins", "2,3", "--bins-y", "3"]).fails(2, &["--bins 2,3", "leave out --bins-y"]);
    told(&["--bins", "2,x"]).fails(2, &["--bins-y of histogram2d is \"x\""]);
    told(&["--bins", "2,3,4"]).fails(2, &["--bins 2,3,4", "10,20"]);
    told(&["--bins", "5000"]).fails(2, &["histogram2d: 5000 by 5000 bins are more than 16777216"]);
    told(&["--edges-y", "0,1", "--range-y", "0:1"]).fails(2, &["--edges-y", "leave out --range-y"]);
    told(&["--plot", "h.svg"]).fails(2, &["--plot", "one axis", "histogram2d"]);
    let few = folder.f32("few.npy", &[1.0; 199]);
    told(&["--weights", &few]).fails(1, &["x.npy", "has 200 elements", "few.npy has 199", "equal length"]);
    run(["histogram,histogram2d", "--weights", &few, &x, &y])
        .fails(2, &["histogram2d takes two inputs as pairs, which histogram does not"]);
    told(&["--weights", &few, "--rows", "2"]).fails(2, &["--weights", "--rows"]);
    run(["histogram2d", &x]).fails(2, &["histogram2d takes two FILEs"]);
    run(["histogram", "--bins-y", "3", &x]).fails(2, &["--bins-y is for histogram2d; histogram has none"]);
    let nan = folder.f32("n.npy", &[f32::NAN; 200]);
    run(["histogram2d", &x, &nan]).fails(1, &["n.npy", "NaN", "--range-y LOW:HIGH"]);
}
