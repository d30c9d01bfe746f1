//! Answers as arrays: their types, and each part of answers of several by its name.

use crate::common::*;
use serde_json::json;
use std::io::Read;

/// The members of a .npz file by name.
fn members(path: &str) -> Vec<(String, Vec<u8>)> {
    let mut zip = zip::ZipArchive::new(std::fs::File::open(path).expect("a file")).expect("a zip");
    let count = zip.len();
    let member = |at| {
        let mut member = zip.by_index(at).expect("a member");
        let mut bytes = vec![];
        member.read_to_end(&mut bytes).expect("its bytes");
        (member.name().trim_end_matches(".npy").to_string(), bytes)
    };
    (0..count).map(member).collect()
}

/// Whether the header of a .npy file says this type and this shape.
fn says(npy: &[u8], descr: &str, shape: &str) -> bool {
    let text = String::from_utf8_lossy(&npy[..npy.len().min(128)]);
    text.contains(&format!("'descr': '{descr}'")) && text.contains(&format!("'shape': {shape}"))
}

#[test]
fn an_answer_has_the_type_of_its_operator() {
    let folder = Folder::new();
    let out = text(folder.path().join("out.npz"));
    // Two rows of two ones.
    let rows =
        |descr: &str, one: &[u8]| folder.file("x.npy", &npy(&format!("'{descr}'"), false, "(2, 2)", &one.repeat(4)));
    let of = |file: &str, list: &str, want: &[(&str, &str)]| {
        run([list, "-q", "--axis", "1", "--force", "--output", &out, file]).text();
        let found = members(&out);
        assert_eq!(found.len(), want.len());
        for ((name, npy), want) in found.iter().zip(want) {
            assert!(name == want.0 && says(npy, want.1, "(2,)"), "{name} {want:?} {}", String::from_utf8_lossy(npy));
        }
    };
    let common = |found| {
        vec![
            ("min", found),
            ("minmax.min", found),
            ("minmax.max", found),
            ("argmin", "<i8"),
            ("any", "|b1"),
            ("variance", "<f8"),
        ]
    };
    let list = "min,minmax,argmin,any,variance,sum,mean";
    for (descr, one, found, sum, mean) in [
        ("<f4", &1f32.to_le_bytes()[..], "<f4", "<f4", "<f4"),
        (">f4", &1f32.to_be_bytes(), "<f4", "<f4", "<f4"),
        ("<i4", &1i32.to_le_bytes(), "<i4", "<i8", "<f8"),
        ("<u4", &1u32.to_le_bytes(), "<u4", "<u8", "<f8"),
        ("|i1", &[1], "|i1", "<i8", "<f8"),
        ("|b1", &[1], "|b1", "<u8", "<f8"),
    ] {
        of(&rows(descr, one), list, &[&common(found)[..], &[("sum", sum), ("mean", mean)]].concat());
    }
    of(&rows("<f8", &1f64.to_le_bytes()), "sum,mean", &[("sum", "<f8"), ("mean", "<f8")]);
    of(&rows("<i8", &1i64.to_le_bytes()), "sum", &[("sum", "<i8")]);
    of(&rows("<u8", &1u64.to_le_bytes()), "sum", &[("sum", "<u8")]);
    let halves = rows("<f2", &[0, 0x3c]);
    of(&halves, "sum,mean", &[("sum", "<f4"), ("mean", "<f4")]);
    // Types do not depend on whether there are answers.
    let none = folder.file("none.npy", &npy("'<f4'", false, "(0, 2)", b""));
    let write = |how: &[&str]| {
        run(["max,sum,count_nonzero", "-q", "--force", "--output", &out].iter().chain(how).chain([&none.as_str()]))
            .text();
        members(&out).into_iter().map(|(_, npy)| npy).collect::<Vec<_>>()
    };
    for (how, shape) in [(&["--axis", "1"][..], "(0,)"), (&["--axis", "0"], "(2,)"), (&["--rows", "3"], "(0,)")] {
        let found = write(how);
        assert!(
            says(&found[0], "<f4", shape) && says(&found[1], "<f4", shape) && says(&found[2], "<u8", shape),
            "{how:?}"
        );
    }
    assert!(says(&write(&[])[0], "<f4", "()"));
    // Nor on whether a file says so: raw numbers of which there are none.
    let raw = folder.file("none.f32", b"");
    run(["max,sum", "-q", "--force", "--output", &out, "--dtype", "f32", "--rows", "3", &raw]).text();
    assert!(members(&out).iter().all(|(_, npy)| says(npy, "<f4", "(0,)")));
    // Extremes of each type, to the bit.
    let least = folder.i32("least.npy", &[i32::MIN, i32::MAX]);
    run(["minmax", "-q", "--force", "--output", &out, &least]).text();
    let ends: Vec<Vec<u8>> = members(&out).into_iter().map(|(_, npy)| npy[npy.len() - 4..].to_vec()).collect();
    assert_eq!(ends, [i32::MIN.to_le_bytes(), i32::MAX.to_le_bytes()]);
}

#[test]
fn keys_keep_their_type() {
    let folder = Folder::new();
    let out = text(folder.path().join("out.npz"));
    let numbers = folder.i32("x.npy", &[1, 2, 4]);
    for (descr, keys, want) in [
        ("<i4", [7i32, 7, -1].iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>(), "<i4"),
        (">i4", [7i32, 7, -1].iter().flat_map(|x| x.to_be_bytes()).collect(), "<i4"),
        ("<u8", [u64::MAX, u64::MAX, 0].iter().flat_map(|x| x.to_le_bytes()).collect(), "<u8"),
        ("<f2", vec![0, 0x3c, 0, 0x3c, 0, 0x7e], "<f2"),
        ("<f8", [0.1f64, 0.1, 2.0].iter().flat_map(|x| x.to_le_bytes()).collect(), "<f8"),
    ] {
        let file = folder.file("k.npy", &npy(&format!("'{descr}'"), false, "(3,)", &keys));
        run(["sum", "-q", "--by", &file, "--force", "--output", &out, &numbers]).text();
        let found = members(&out);
        assert!(found[0].0 == "keys" && says(&found[0].1, want, "(2,)"), "{descr}");
        if descr.starts_with('<') {
            let size = keys.len() / 3;
            assert_eq!(
                found[0].1[found[0].1.len() - 2 * size..],
                [&keys[..size], &keys[2 * size..]].concat(),
                "{descr}"
            );
        }
    }
}

#[test]
fn parts_of_answers_stand_by_their_names() {
    let folder = Folder::new();
    let out = text(folder.path().join("out.npz"));
    let numbers = folder.i32("x.npy", &[5, 1, 2, 3, 9, 4]);
    let keys = folder.i32("k.npy", &[-3, -3, 8, 8, 8, -3]);
    let stats = ["count", "nan_count", "sum", "mean", "std", "min", "min.index", "max", "max.index"];
    let stats = stats.map(|part| format!("stats.{part}"));
    let told = run(["stats,max,minmax", "--by", &keys, "--output", &out, &numbers]);
    assert!(told.text().contains("out.npz: keys, stats, max, minmax of shape (3,)"), "{}", told.out);
    let found = members(&out);
    let want: Vec<&str> = ["keys"]
        .into_iter()
        .chain(stats.iter().map(|name| &name[..]))
        .chain(["max", "minmax.min", "minmax.max"])
        .collect();
    assert_eq!(found.iter().map(|(name, _)| &name[..]).collect::<Vec<_>>(), want);
    let read = |name: &str| {
        let npy = &found.iter().find(|(found, _)| found == name).expect("a member").1;
        run(["sum", "--json", "--rows", "1", &folder.file("part.npy", npy)]).json()["value"].clone()
    };
    let all = run(["stats", "--json", "--by", &keys, &numbers]).json();
    for part in ["count", "nan_count", "sum", "mean", "std", "min", "max"] {
        assert_eq!(read(&format!("stats.{part}")), all["value"][part], "{part}");
    }
    assert_eq!((read("stats.min.index"), read("stats.max.index")), (json!([1, 0, 0]), json!([0, 2, 0])));
    assert_eq!((&all["index"]["min"], &all["index"]["max"]), (&json!([1, 0, 0]), &json!([0, 2, 0])));
    assert!(says(&found.iter().find(|(name, _)| name == "stats.min").expect("a member").1, "<i4", "(3,)"));
    // One operator, one answer; along an axis; of groups.
    run(["stats", "-q", "--force", "--output", &out, &numbers]).text();
    let one = members(&out);
    assert_eq!(one.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), stats);
    assert!(one.iter().all(|(_, npy)| String::from_utf8_lossy(npy).contains("'shape': ()")));
    run(["minmax", "-q", "--force", "--rows", "2", "--output", &out, &numbers]).text();
    assert!(members(&out).iter().all(|(_, npy)| says(npy, "<i4", "(3,)")));
    // Of one array, and where there is no answer.
    run(["stats", "--output", "o.npy", &numbers])
        .fails(2, &["--output o.npy", "an answer of stats has 7 numbers", "o.npz"]);
    let groups = folder.i32("g.npy", &[0, 0, 0, 2, 2, 2]);
    let grouped = ["minmax", "-q", "--force", "--group-by", &groups, "--groups", "3", "--output", &out];
    run(grouped.iter().chain([&numbers.as_str()])).fails(1, &["minmax.min: answer 1 is none", "no elements", "--json"]);
    let floats = folder.f32("f.npy", &[1.0; 6]);
    run(grouped.iter().chain([&floats.as_str()])).text();
    assert!(members(&out)[0].1.ends_with(&[1f32.to_le_bytes(), f32::NAN.to_le_bytes(), 1f32.to_le_bytes()].concat()));
    let offsets = folder.i32("o.npy", &[0, 2, 2, 6]);
    let segmented = ["-q", "--force", "--segments", &offsets, "--output", &out];
    let written = |operators: &str, file: &str| {
        run([operators].iter().chain(&segmented).chain([&file])).text();
        members(&out)
    };
    let halves = folder.file("h.npy", &npy("'<f2'", false, "(6,)", &[0, 0x3c].repeat(6)));
    assert!(written("min", &halves)[0].1.ends_with(&[0, 0x3c, 0, 0x7e, 0, 0x3c]));
    // Positions of what is not found.
    for (operators, name) in [("argmin", "argmin"), ("minmax,stats", "stats.max.index"), ("top(2)", "top.index")] {
        let found = written(operators, &floats);
        let (_, places) = found.iter().find(|(found, _)| found == name).expect("positions");
        let all: Vec<i64> = if operators == "top(2)" { vec![0, 1, -1, -1, 0, 1] } else { vec![0, -1, 0] };
        assert!(places.ends_with(&all.iter().flat_map(|place| place.to_le_bytes()).collect::<Vec<_>>()), "{name}");
    }
}

#[test]
fn no_answers_are_told_as_those_of_one() {
    let folder = Folder::new();
    let none = folder.file("none.npy", &npy("'<f4'", false, "(0, 3)", b""));
    let found = run(["sum", "--json", "--axis", "1", &none]).json();
    assert_eq!((&found["shape"], &found["value"], &found["bits"]), (&json!([0]), &json!([]), &json!([])));
    assert!(found.get("index").is_none(), "{found}");
    let found = run(["minmax,argmax", "--json", "--axis", "1", &none]).json();
    assert_eq!(found["answers"]["minmax"]["value"], json!({"min": [], "max": []}));
    assert_eq!(found["answers"]["argmax"]["index"], json!([]));
    let table = run(["sum,argmax,minmax", "--axis", "1", &none]);
    assert!(
        table.text().contains("│ row ┆ sum ┆ argmax ┆ index │") && table.out.contains("┆ min ┆ max │"),
        "{}",
        table.out
    );
    assert!(table.text().contains("0 answers of shape (0,)"), "{}", table.out);
}

/// Sums of weights have the type of sums of those, counts that of counts, both in the shape of the bins.
#[test]
fn bins_are_arrays_of_what_stands_in_them() {
    let folder = Folder::new();
    let [array, list] = ["s.npy", "s.npz"].map(|name| text(folder.path().join(name)));
    let numbers = folder.i32("x.npy", &[1, 2, 2, 3, 9]);
    let weights =
        |descr: &str, bytes: Vec<u8>| folder.file("w.npy", &npy(&format!("'{descr}'"), false, "(5,)", &bytes));
    let floats = [0.5, 1.0, 0.25, 0.0, 7.0];
    let wholes = [1u8, 2, 3, 0, 7];
    let wide = |sums: [f64; 3]| sums.map(f64::to_le_bytes).concat();
    let narrow = || [0.5f32, 1.25, 0.0].map(f32::to_le_bytes).concat();
    for (descr, bytes, sum, sums) in [
        ("<f4", floats.map(|x| (x as f32).to_le_bytes()).concat(), "<f4", narrow()),
        (">f8", floats.map(f64::to_be_bytes).concat(), "<f8", wide([0.5, 1.25, 0.0])),
        ("|u1", wholes.to_vec(), "<u8", [1u64, 5, 0].map(u64::to_le_bytes).concat()),
        (
            "<i8",
            wholes.map(|x| (-i64::from(x)).to_le_bytes()).concat(),
            "<i8",
            [-1i64, -5, 0].map(i64::to_le_bytes).concat(),
        ),
    ] {
        let weights = weights(descr, bytes);
        let args = ["histogram", "--integers", "1:3", "--force", "--weights", &weights, &numbers, "--output"];
        let told = run([&args[..], &[&array]].concat());
        assert!(told.text().contains("s.npy: histogram of shape (3,)"), "{}", told.out);
        let written = std::fs::read(&array).expect("a file");
        assert!(says(&written, sum, "(3,)") && written[128..] == sums, "{descr} {written:?}");
        run([&args[..], &[&list]].concat()).text();
        assert!(members(&list) == [("histogram".to_string(), written)], "{descr}");
    }
    // Counts of two axes, and those of one in a list, of rows too.
    let x = folder.f32("f.npy", &[1.0, 2.0, 2.0, 3.0, 9.0]);
    run(["histogram2d", "-q", "--integers", "1:3", "--integers-y", "2:3", "--force", "--output", &list, &x, &x]).text();
    let found = members(&list);
    assert!(found.len() == 1 && found[0].0 == "histogram2d" && says(&found[0].1, "<u8", "(3, 2)"));
    assert!(found[0].1[128..] == [0u64, 0, 2, 0, 0, 1].map(u64::to_le_bytes).concat());
    let both = ["max,histogram", "--integers", "1:3", "--force", "--output", &list, &numbers];
    assert!(run(both).text().contains("s.npz: max, histogram of shape ()"));
    assert!(says(&members(&list)[1].1, "<u8", "(3,)"));
    let rows =
        run([&["histogram", "--integers", "1:3", "--rows", "1", "--force", "--output", &array, &numbers][..]].concat());
    assert!(rows.text().contains("s.npy: histogram of shape (5, 3)"), "{}", rows.out);
    assert!(says(&std::fs::read(&array).expect("a file"), "<u8", "(5, 3)"));
}
