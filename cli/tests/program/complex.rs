//! Complex numbers in .npy and raw files: sums, means, norms and products as Python writes them, along axes too, and what they have not.

use crate::common::*;

/// Numbers with exact sums.
const Z: [[f32; 2]; 6] = [[1.5, -2.0], [0.25, 4.0], [-3.0, 0.5], [2.0, 1.0], [-0.5, -0.25], [1.0, 8.0]];

fn bytes_64(of: impl Fn(f32) -> [u8; 4]) -> Vec<u8> {
    Z.iter().flatten().flat_map(|&x| of(x)).collect()
}

fn bytes_128() -> Vec<u8> {
    Z.iter().flatten().flat_map(|&x| f64::from(x).to_le_bytes()).collect()
}

/// The product of them, in f64.
fn product() -> [f64; 2] {
    Z.iter().map(|z| z.map(f64::from)).fold([1.0, 0.0], |[a, b], [c, d]| [a * c - b * d, a * d + b * c])
}

#[test]
fn four_answers_of_every_file() {
    let folder = Folder::new();
    let files = [
        folder.file("a.npy", &npy("'<c8'", false, "(6,)", &bytes_64(f32::to_le_bytes))),
        folder.file("b.npy", &npy("'>c8'", false, "(2, 3)", &bytes_64(f32::to_be_bytes))),
        folder.file("c.npy", &npy("'<c16'", false, "(6,)", &bytes_128())),
        folder.file("d.npy", &npy("'complex128'", true, "(3, 2)", &bytes_128())),
    ];
    for (file, dtype) in files.iter().zip(["c64", "c64", "c128", "c128"]) {
        let told = run_where(&adapter_for("product", dtype), ["sum,mean,product", "-q", file]);
        let product = product().map(|x| x.to_string());
        let sign = if product[1].starts_with('-') { "" } else { "+" };
        let want = format!("1.25+11.25j\n{}\n{}{sign}{}j", told.text().lines().nth(1).unwrap(), product[0], product[1]);
        assert_eq!(told.text(), want);
        let mean = run(["mean", "--json", file]).json();
        let parts: Vec<f64> = mean["value"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        assert!((parts[0] - 1.25 / 6.0).abs() < 1e-7 && (parts[1] - 1.875).abs() < 1e-7, "{mean}");
        let norm: f64 = run(["norm2", "-q", file]).text().parse().unwrap();
        let want = Z.iter().flatten().map(|&x| f64::from(x * x)).sum::<f64>().sqrt();
        assert!((norm - want).abs() < 1e-6, "{norm} {want}");
    }
    let raw = folder.file("raw.bin", &bytes_64(f32::to_le_bytes));
    assert_eq!(run(["sum", "-q", "--dtype", "c64", &raw]).text(), "1.25+11.25j");
    let wide = folder.file("wide.bin", &bytes_128());
    assert_eq!(run(["sum", "-q", "--dtype", "c128", &wide]).text(), "1.25+11.25j");
    assert_eq!(run_with(["sum", "-q", "--dtype", "c128"], &bytes_128()).text(), "1.25+11.25j");
    run(["sum", "--dtype", "c128", &folder.file("odd.bin", &[0; 24])]).fails(1, &["odd.bin", "no multiple of 16"]);
    assert_eq!(run(["sum", "-q", &files[0], &files[1]]).text(), "2.5+22.5j");
    run(["sum", &files[0], &files[2]]).fails(1, &["c64", "c128"]);
}

#[test]
fn along_axes_and_in_parts() {
    let folder = Folder::new();
    let file = folder.file("z.npy", &npy("'<c8'", false, "(2, 3)", &bytes_64(f32::to_le_bytes)));
    let told = run(["sum", "--axis", "0", "--json", &file]).json();
    assert_eq!(told["value"], serde_json::json!([[3.5, -1.0], [-0.25, 3.75], [-2.0, 8.5]]));
    let bits: Vec<&str> = told["bits"].as_array().unwrap().iter().map(|bits| bits.as_str().unwrap()).collect();
    assert_eq!(bits[0], "40600000bf800000");
    let out = folder.path().join("sums.npy").to_string_lossy().to_string();
    assert_eq!(run(["sum", "--axis", "0", "--output", &out, &file]).status, 0);
    assert_eq!(run(["sum", "-q", &out]).text(), "1.25+11.25j");
    let part = |name: &str, bytes: &[u8]| {
        let file = folder.file(&format!("{name}.npy"), &npy("'<c8'", false, &format!("({},)", bytes.len() / 8), bytes));
        let part = folder.path().join(format!("{name}.part")).to_string_lossy().to_string();
        assert_eq!(run(["mean", "--partial", &part, &file]).status, 0);
        part
    };
    let bytes = bytes_64(f32::to_le_bytes);
    let parts = [part("front", &bytes[..16]), part("back", &bytes[16..])];
    let mut merge = program();
    merge.args(["merge", "-q", &parts[0], &parts[1]]);
    assert_eq!(finish(merge, b"").text(), run(["mean", "-q", &file]).text());
    let nothing = folder.file("none.npy", &npy("'<c16'", false, "(0,)", &[]));
    let told = run_where(&adapter_for("product", "c128"), ["sum,mean,norm2,product", "-q", &nothing]);
    assert_eq!(told.text(), "0+0j\nnone\n0\n1+0j");
}

#[test]
fn nan_and_what_has_no_order() {
    let folder = Folder::new();
    let data: Vec<u8> = [1.0f64, 2.0, f64::NAN, 1.0, 4.0, f64::INFINITY].iter().flat_map(|x| x.to_le_bytes()).collect();
    let file = folder.file("z.npy", &npy("'<c16'", false, "(3,)", &data));
    assert_eq!(run(["sum", "-q", &file]).text(), "nan+infj");
    assert_eq!(run(["sum", "-q", "--nan", "ignore", &file]).text(), "5+infj");
    assert_eq!(run(["sum", "--json", &file]).json()["value"], serde_json::json!(["nan", "inf"]));
    let told = run(["sum", "--json", "--nan", "ignore", "--axis", "0", &file]).json();
    assert_eq!(told["value"], serde_json::json!([5.0, "inf"]));
    run(["max", &file]).fails(1, &["holds c128", "what takes c128: sum, product, mean, norm2"]);
    run(["stats", &file]).fails(1, &["holds c128", "what takes c128: sum, product, mean, norm2"]);
    run(["sum", "--where", "> 1", &file]).fails(2, &["--where '> 1'", "c128 have no order"]);
    let mapped = run(["sum", "--map", "x * x", &file]);
    assert!(mapped.status == 2 && mapped.err.contains("--map over c128: expressions take numbers"), "{mapped:?}");
    run(["product", "--partial", "p", &file]).fails(1, &["product over c128 rounds on the way"]);
}
