//! Histograms: given edges, the range of the input's own, the chart, the picture; counts are NumPy's.

use crate::common::*;
use serde_json::json;

/// As NumPy makes them: `[(i * i) % 977 - 200 for i in range(1000)]`, -200 to 776.
fn squares() -> Vec<i32> {
    (0..1000).map(|i| i * i % 977 - 200).collect()
}

fn f64s(numbers: &[f64]) -> Vec<u8> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    npy("'<f8'", false, &format!("({},)", numbers.len()), &bytes)
}

/// Ends so far apart that no number is their distance.
#[test]
fn a_range_of_the_inputs_own_may_be_too_wide() {
    let folder = Folder::new();
    let file = folder.file("x.npy", &f64s(&[-1.7e308, 1.7e308]));
    let told = ["numbers reach from -1.7e308 to 1.7e308", "pass --range LOW:HIGH"];
    run(["histogram", "--bins", "7", &file]).fails(1, &told);
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
    run(["sum", "--edges", "0,1", &file]).fails(2, &["--edges is for histogram and histogram2d; sum has none"]);
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
fn whole_numbers_have_bins_of_their_own() {
    let folder = Folder::new();
    let file = folder.i32("x.npy", &[3, -2, -2, 0, 1, 4, -9]);
    let args = ["histogram", "--integers", "-2:3", &file];
    let json = run([&args[..], &["--json"]].concat()).json();
    assert_eq!(json["value"], json!({"bins": [2, 0, 1, 1, 0, 1], "below": 1, "above": 1, "nan": 0}));
    assert_eq!((&json["integers"], &json["edges"]), (&json!([-2, -1, 0, 1, 2, 3]), &json!(null)));
    let quiet = run([&args[..], &["-q"]].concat());
    assert_eq!(quiet.text(), "-2 2\n-1 0\n0 1\n1 1\n2 0\n3 1\nbelow 1\nabove 1\nnan 0");
    let chart = run(args);
    for line in [format!("│ -2        ┆     2 ┆ {} │", "█".repeat(40)), "│ -1        ┆     0 ┆".into()]
    {
        assert!(chart.text().contains(&line), "{line}: {}", chart.out);
    }
    // Of floats those that are whole numbers once rounded.
    let floats = folder.f32("f.npy", &[0.0, 0.49, 0.5, 1.5, 2.0, f32::NAN]);
    let json = run(["histogram", "--json", "--integers", "0:1", &floats]).json();
    assert_eq!(json["value"], json!({"bins": [2, 2], "below": 0, "above": 1, "nan": 1}));
    // Partials are of the same numbers.
    let [pa, pb] = ["a.part", "b.part"].map(|name| text(folder.path().join(name)));
    run(["histogram", "--integers", "-2:3", "-q", "--partial", &pa, &file]).text();
    run(["histogram", "--integers", "-2:4", "-q", "--partial", &pb, &file]).text();
    assert_eq!(run(["merge", "--json", &pa, &pa]).json()["value"]["bins"], json!([4, 0, 2, 2, 0, 2]));
    run(["merge", &pa, &pb]).fails(1, &["integers=-2:3", "integers=-2:4", "merge like with like"]);
    for (integers, said) in [
        ("3:2", "--integers of histogram is \"3:2\": LOW:HIGH, two whole numbers"),
        ("0:1.5", "\"0:1.5\""),
        ("7", "\"7\""),
        ("0:16777216", "at most 16777216"),
    ] {
        run(["histogram", "--integers", integers, &file]).fails(2, &[said]);
    }
    run(["histogram", "--integers", "0:5", "--bins", "6", "--range", "0:5", &file])
        .fails(2, &["--integers says where every bin lies; leave out --bins and --range"]);
    run(["histogram", "--integers", "0:5", "--edges", "0,5", &file]).fails(2, &["--edges", "leave out --integers"]);
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

#[test]
fn weights_are_summed_exactly_by_bin() {
    let folder = Folder::new();
    let file = folder.f32("x.npy", &[0.5, 1.5, 0.25, 1.0, 0.0, -1.0, 7.0, f32::NAN, 0.75, 2.0]);
    let weights = folder.f32("w.npy", &[16_777_216.0, 0.5, 1.0, 0.25, -16_777_216.0, 3.0, 4.0, 5.0, 0.0, 8.0]);
    let args = ["histogram", "--bins", "2", "--range", "0:2", "--weights", &weights, &file];
    for adapter in ["cpu", &adapter()] {
        let mut command = program();
        command.args(args).args(["--json", "--adapter", adapter]);
        let json = finish(command, b"").json();
        assert_eq!(json["value"], json!({"bins": [1.0, 8.75], "below": 3.0, "above": 4.0, "nan": 5.0}));
        assert_eq!(json["bits"]["bins"], json!(["3f800000", "410c0000"]));
        assert_eq!((&json["weights"], &json["count"], &json["exact"]), (&json!(weights), &json!(10), &json!(true)));
    }
    assert_eq!(run([&args[..], &["-q"]].concat()).text(), "bin 1\nbin 8.75\nbelow 3\nabove 4\nnan 5");
    let chart = run(args);
    let full = "█".repeat(40);
    assert!(chart.text().contains(&format!("┆   8.75 ┆ {full} │")), "{}", chart.out);
    assert!(chart.text().contains("┆ weight ┆"), "{}", chart.out);
    let [sums, svg] = ["s.npy", "s.svg"].map(|name| text(folder.path().join(name)));
    run([&args[..], &["--output", &sums, "--plot", &svg]].concat()).text();
    let written = std::fs::read(&sums).unwrap();
    assert!(written.ends_with(&[1.0f32, 8.75].map(f32::to_le_bytes).concat()), "{written:?}");
    assert!(
        String::from_utf8_lossy(&written).contains("'<f4'")
            && std::fs::read_to_string(&svg).unwrap().contains("weight")
    );
    // The input's own range; whole numbers as weights, which have sums of 64 bits; elements from several files and a pipe.
    let whole = folder.i32("i.npy", &[i32::MAX, i32::MAX, -1, 5]);
    let [a, b] = [folder.i32("a.npy", &[1, 1]), folder.i32("b.npy", &[2, 4])];
    let json = run(["histogram", "--json", "--bins", "3", "--weights", &whole, &a, &b]).json();
    assert_eq!(
        (&json["value"]["bins"], &json["edges"]),
        (&json!([4_294_967_294u64, -1, 5]), &json!([1.0, 2.0, 3.0, 4.0]))
    );
    let piped =
        run_with(["histogram", "--json", "--integers", "1:4", "--weights", &whole], &npy_i32(&[1, 1, 2, 4])).json();
    assert_eq!(piped["value"]["bins"], json!([4_294_967_294u64, -1, 0, 5]));
}

#[test]
fn weights_that_do_not_fit_are_told() {
    let folder = Folder::new();
    let (file, few) = (folder.f32("x.npy", &[1.0, 2.0, 3.0]), folder.f32("w.npy", &[1.0, 2.0]));
    let more = folder.f32("m.npy", &[1.0; 4]);
    let told = |weights: &str, more: &[&str]| {
        run([&["histogram", "--range", "0:4", "--weights", weights, &file], more].concat())
    };
    told(&few, &[]).fails(1, &["x.npy has 3 elements", "w.npy has 2", "equal length"]);
    told(&more, &[]).fails(1, &["x.npy has 3 elements", "m.npy has 4"]);
    told("none.npy", &[]).fails(1, &["none.npy", "no such file"]);
    told(&folder.file("w.txt", b"1 2 3"), &[]).fails(2, &["w.txt", "--weights"]);
    told(&file, &["--partial", "p.part"]).fails(2, &["--weights", "--partial"]);
    told(&file, &["--rows", "1"]).fails(2, &["--weights", "--rows"]);
    run(["sum", "--weights", &file, &file])
        .fails(2, &["--weights is for histogram and histogram2d alone; sum has none"]);
    run(["histogram,max", "--range", "0:1", "--weights", &file, &file]).fails(2, &["--weights", "max"]);
    told(&file, &["--bins", "16777216", "--memory", "64MiB"]).fails(1, &["16777219 sums", "--memory"]);
}
