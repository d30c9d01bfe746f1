//! Histograms: given edges, the range of the input's own, the chart, the picture; counts are NumPy's.

mod common;
use common::*;
use serde_json::json;

/// As NumPy makes them: `[(i * i) % 977 - 200 for i in range(1000)]`, -200 to 776.
fn squares() -> Vec<i32> {
    (0..1000).map(|i| i * i % 977 - 200).collect()
}

fn f64s(numbers: &[f64]) -> Vec<u8> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    npy("'<f8'", false, &format!("({},)", numbers.len()), &bytes)
}

#[test]
fn edges_are_numbers_or_a_file() {
    let folder = Folder::new();
    let file = folder.i32("x.npy", &squares());
    let edges = folder.file("e.npy", &f64s(&[-200.0, -150.5, 0.0, 1.0, 500.0, 770.0]));
    let want = json!({"bins": [61, 163, 2, 478, 290], "below": 0, "above": 6, "nan": 0});
    let [listed, read] =
        ["-200,-150.5, 0,1,500,770", &edges].map(|edges| run(["histogram", "--json", "--edges", edges, &file]).json());
    assert_eq!(listed["value"], want);
    assert_eq!(listed["edges"], json!([-200.0, -150.5, 0.0, 1.0, 500.0, 770.0]));
    assert_eq!((&listed["value"], &listed["edges"]), (&read["value"], &read["edges"]));
    // Any type of numbers, and what cannot be rewound.
    let narrow = folder.file("n.npy", &npy("'|i1'", false, "(3,)", &[0x9c, 0, 100]));
    let piped = run_with(["histogram", "--json", "--edges", &narrow], &npy_i32(&squares())).json();
    assert_eq!((&piped["edges"], &piped["count"]), (&json!([-100.0, 0.0, 100.0]), &json!(1000)));
    let raw = folder.file("x.bin", &raw_i32(&squares()));
    let raw = run(["histogram", "--json", "--edges", &edges, "--dtype", "i32", &raw]).json();
    assert_eq!(raw["value"], want);
}

#[test]
fn edges_that_are_none_are_told() {
    let folder = Folder::new();
    let file = folder.f32("x.npy", &[1.0]);
    let edges = |edges: &str| run(["histogram", "--edges", edges, &file]);
    edges("0,2,1").fails(2, &["--edges 0,2,1", "edge 2", "is 1, after 2"]);
    edges("0,nan").fails(2, &["edge 1", "NaN"]);
    edges("5").fails(2, &["1 edges"]);
    edges("0,one,2").fails(2, &["\"one\" is no number"]);
    edges("no-such.npy").fails(1, &["--edges no-such.npy", "no such file"]);
    edges(&folder.file("t.txt", b"0 1 2")).fails(2, &["--edges", "t.txt", "no .npy file"]);
    edges(&folder.file("f.npy", &f64s(&[0.0, 3.0, 3.0]))).fails(2, &["f.npy", "edge 2", "is 3, after 3"]);
    let square = npy("'<f8'", false, "(1, 2)", &[0; 16]);
    edges(&folder.file("m.npy", &square)).fails(1, &["m.npy", "[1, 2]", "one axis"]);
    run(["histogram", "--edges", "0,1", "--bins", "3", "--range", "0:1", &file])
        .fails(2, &["--edges", "leave out --bins and --range"]);
    run(["sum", "--edges", "0,1", &file]).fails(2, &["--edges is for histogram; sum has none"]);
}

#[test]
fn without_a_range_it_is_the_inputs_own() {
    let folder = Folder::new();
    let file = folder.i32("x.npy", &squares());
    let json = run(["histogram", "--json", "--bins", "7", &file]).json();
    assert_eq!(json["value"], json!({"bins": [173, 143, 112, 164, 108, 140, 160], "below": 0, "above": 0, "nan": 0}));
    assert_eq!((&json["edges"][0], &json["edges"][7], &json["count"]), (&json!(-200.0), &json!(776.0), &json!(1000)));
    // Several files are one input; f16 and others are read as they are reduced.
    let parts = [folder.i32("a.npy", &squares()[..300]), folder.i32("b.npy", &squares()[300..])];
    let both = run(["histogram", "--json", "--bins", "7", &parts[0], &parts[1]]).json();
    assert_eq!((&both["value"], &both["edges"]), (&json["value"], &json["edges"]));
    let equal = run(["histogram", "--json", "--bins", "2", &folder.f32("e.npy", &[3.0; 5])]).json();
    assert_eq!((&equal["value"]["bins"], &equal["edges"]), (&json!([0, 5]), &json!([2.5, 3.0, 3.5])));
    let none = run(["histogram", "--json", "--bins", "2", &folder.f32("n.npy", &[])]).json();
    assert_eq!((&none["value"]["bins"], &none["edges"]), (&json!([0, 0]), &json!([0.0, 0.5, 1.0])));
    // Rows share the range of all.
    let rows = run(["histogram", "--json", "--bins", "2", "--rows", "500", &file]).json();
    assert_eq!((&rows["shape"], &rows["edges"]), (&json!([2]), &json!([-200.0, 288.0, 776.0])));
}

#[test]
fn where_there_is_no_own_range_is_told() {
    let folder = Folder::new();
    let file = folder.f32("x.npy", &[1.0, f32::NAN]);
    run(["histogram", &file]).fails(1, &["x.npy", "from NaN to NaN", "--range LOW:HIGH"]);
    run(["histogram", &folder.f32("i.npy", &[1.0, f32::INFINITY])]).fails(1, &["from 1 to inf", "--range"]);
    run_with(["histogram", "--dtype", "f32"], &[0; 8])
        .fails(2, &["standard input", "twice", "pipe", "--range LOW:HIGH"]);
    let part = text(folder.path().join("p.part"));
    run(["histogram", "--partial", &part, &file]).fails(2, &["--partial", "--range", "would not merge"]);
    assert!(!std::path::Path::new(&part).exists());
}

#[test]
fn partials_know_their_edges() {
    let folder = Folder::new();
    let (a, b) = (folder.i32("a.npy", &squares()[..300]), folder.i32("b.npy", &squares()[300..]));
    let [pa, pb, pc] = ["a.part", "b.part", "c.part"].map(|name| text(folder.path().join(name)));
    let edges = "-200,-150.5,0,1,500,770";
    run(["histogram", "--edges", edges, "-q", "--partial", &pa, &a]).text();
    run(["histogram", "--edges", edges, "-q", "--partial", &pb, &b]).text();
    run(["histogram", "--edges", "-200,0,770", "-q", "--partial", &pc, &b]).text();
    let whole = run(["histogram", "--edges", edges, "--json", &a, &b]).json();
    let merged = run(["merge", "--json", &pa, &pb]).json();
    assert_eq!((&merged["value"], &merged["edges"]), (&whole["value"], &whole["edges"]));
    run(["merge", &pa, &pc]).fails(1, &["a.part", "c.part", "edges=-200:0:770", "merge like with like"]);
    run(["merge", "--bins", "4", &pa]).fails(2, &["a.part", "edges=", "leave out --bins"]);
}

#[test]
fn people_see_a_chart_and_draw_a_picture() {
    let folder = Folder::new();
    let file = folder.f32("x.npy", &[0.0, 0.5, 0.5, 1.5, 2.5, 9.0, f32::NAN]);
    let [svg, counts] = ["h.svg", "h.npy"].map(|name| text(folder.path().join(name)));
    let args = ["histogram", "--edges", "0,1,2,3", "--plot", &svg, "--output", &counts, &file];
    run(args).text();
    let drawn = std::fs::read_to_string(&svg).unwrap();
    assert!(drawn.starts_with("<svg ") && drawn.matches("#0072B2").count() == 3, "{drawn}");
    assert!(drawn.contains("below 0, above 1, nan 1"), "{drawn}");
    let written = std::fs::read(&counts).unwrap();
    assert!(written.ends_with(&[3u64, 1, 1].map(u64::to_le_bytes).concat()), "{written:?}");
    run(args).fails(1, &["exists already", "--force"]);
    let chart = run(["histogram", "--edges", "0,1,2,3", &file]);
    let full = "█".repeat(40);
    for line in [format!("│ 0 to 1    ┆     3 ┆ {full} │"), "│ 2 to 3    ┆     1 ┆ █████████████▍ ".into()]
    {
        assert!(chart.text().contains(&line), "{line}: {}", chart.out);
    }
    run(["sum", "--plot", &svg, "--force", &file]).fails(2, &["--plot", "histogram", "sum"]);
    run(["histogram", "--bins", "2", "--rows", "7", "--plot", &svg, &file]).fails(2, &["--plot", "--rows"]);
    run(["histogram", "--range", "0:1", "--plot", &counts, "--output", &counts, "--force", &file])
        .fails(2, &["--output and --plot both name"]);
}
