//! The formats of files: packed ones, .npz, tables, Parquet, safetensors; and what is wrong with them.

use crate::common::*;
use parquet::basic::{Compression, Encoding};
use parquet::data_type::{
    BoolType, DataType, DoubleType, FixedLenByteArray, FixedLenByteArrayType, FloatType, Int32Type, Int64Type,
};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use serde_json::{Value, json};
use std::io::{Cursor, Write};
use std::sync::Arc;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

fn npz(members: &[(&str, Vec<u8>)], deflated: bool) -> Vec<u8> {
    let method = if deflated { CompressionMethod::Deflated } else { CompressionMethod::Stored };
    let mut zip = ZipWriter::new(Cursor::new(vec![]));
    for (name, bytes) in members {
        zip.start_file(format!("{name}.npy"), SimpleFileOptions::default().compression_method(method)).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Members of these names in the JSON of a run.
fn told<const N: usize>(done: &Done, names: [&str; N]) -> [Value; N] {
    let json = done.json();
    names.map(|name| json[name].clone())
}

/// Numbers that a deflated stream does not repeat.
fn noise(count: usize) -> Vec<i32> {
    let mut state = 1u32;
    let next = move || {
        state = state.wrapping_mul(1664525).wrapping_add(1013904223);
        (state >> 8) as i32 % 1000
    };
    std::iter::repeat_with(next).take(count).collect()
}

#[test]
fn packed_files_are_unpacked() {
    let folder = Folder::new();
    let numbers = noise(300_000);
    let sum = numbers.iter().map(|&x| i64::from(x)).sum::<i64>().to_string();
    let (npy, raw) = (npy_i32(&numbers), raw_i32(&numbers));
    for pack in [gzip, zstd] {
        let file = folder.file("x.npy.gz", &pack(&npy));
        assert_eq!(run(["sum", "-q", &file]).text(), sum);
        assert_eq!(run(["sum", "-q", "--memory", "1MiB", &file]).text(), sum);
        assert_eq!(run_with(["sum", "-q"], &pack(&npy)).text(), sum);
        assert_eq!(run(["sum", "-q", "--dtype", "i32", &folder.file("x.bin", &pack(&raw))]).text(), sum);
        // It is read twice.
        let bins = run(["histogram", "--bins", "2", "--json", &file]).json();
        assert_eq!(bins["count"], 300_000);
        assert_eq!(bins["value"]["below"], 0);
    }
    // Members one behind another are one file.
    let (front, back) = npy.split_at(1000);
    let members = [gzip(front), gzip(back)].concat();
    assert_eq!(run(["sum", "-q", &folder.file("m.gz", &members)]).text(), sum);
    let matrix = crate::common::npy("'<i4'", false, "(2, 3)", &raw_i32(&[1, 2, 3, 4, 5, 6]));
    assert_eq!(run(["sum", "-q", "--axis", "0", &folder.file("a.npy.gz", &gzip(&matrix))]).text(), "5\n7\n9");
}

#[test]
fn numbers_that_begin_like_packed_files_are_numbers() {
    let folder = Folder::new();
    let raw = raw_i32(&[0x0008_8b1f, 7, 0x0001_0007]);
    let sum = (0x0008_8b1f + 7 + 0x0001_0007).to_string();
    assert_eq!(run(["sum", "-q", "--dtype", "i32", &folder.file("x.bin", &raw)]).text(), sum);
}

#[test]
fn damaged_packed_files_are_errors() {
    let folder = Folder::new();
    let npy = npy_i32(&noise(100_000));
    for (pack, name) in [(gzip as fn(&[u8]) -> Vec<u8>, "gzip"), (zstd, "Zstandard")] {
        let packed = pack(&npy);
        for cut in [11, packed.len() / 2, packed.len() - 3] {
            run(["sum", &folder.file("cut.gz", &packed[..cut])]).fails(1, &["cut.gz: ", name, "too early"]);
        }
        let mut damaged = packed.clone();
        let at = damaged.len() / 2;
        damaged[at..at + 8].iter_mut().for_each(|byte| *byte = !*byte);
        run(["sum", &folder.file("bad.gz", &damaged)]).fails(1, &["bad.gz: ", name]);
        // Bytes behind the array are let go, but a stream that is cut or damaged there is no better.
        let longer = pack(&[&npy[..], b"more"].concat());
        let told = run(["sum", "-q", &folder.file("longer.gz", &longer)]);
        assert!(told.text() == run(["sum", "-q", &folder.file("x.npy", &npy)]).text(), "{}", told.out);
        assert!(told.err.contains("ignored bytes behind the end of its array"), "{}", told.err);
        run(["sum", &folder.file("end.gz", &longer[..longer.len() - 3])]).fails(1, &["end.gz: ", name, "too early"]);
    }
    // The last bytes are a checksum and a length.
    let mut wrong = gzip(&npy);
    let at = wrong.len() - 8;
    wrong[at] ^= 1;
    run(["sum", &folder.file("crc.gz", &wrong)]).fails(1, &["crc.gz: its gzip stream is damaged"]);
    let mut longer = gzip(&[&npy[..], b"more"].concat());
    let at = longer.len() - 8;
    longer[at] ^= 1;
    run(["sum", &folder.file("long.gz", &longer)]).fails(1, &["long.gz: its gzip stream is damaged"]);
    run(["sum", "--column", "a", &folder.file("x.npz.gz", &gzip(&npz(&[("a", npy)], false)))])
        .fails(2, &["x.npz.gz: ", "unpack it first (gunzip "]);
}

/// As gunzip has it: one member behind the other, then zeros that fill a block; anything else is told.
#[test]
fn what_follows_a_gzip_stream() {
    let folder = Folder::new();
    let numbers = noise(70_000);
    let (front, back) = numbers.split_at(30_001);
    let both = [gzip(&npy_i32(&numbers)[..128]), gzip(&raw_i32(front)), gzip(&raw_i32(back))].concat();
    let sum = numbers.iter().map(|&x| i64::from(x)).sum::<i64>().to_string();
    for zeros in [0, 1, 511, 70_000] {
        let padded = [both.clone(), vec![0; zeros]].concat();
        assert_eq!(run(["sum", "-q", &folder.file("x.npy.gz", &padded)]).text(), sum, "{zeros} zeros");
    }
    for (junk, told) in [
        (&b"junk"[..], "bytes that are none follow it"),
        (b"\0\0junk", "bytes that are none follow it"),
        (&[0, 0x1f, 0x8b], "bytes that are none follow it"),
        (&[0x1f], "too early"),
        (&[0x1f, 0x8b, 8, 0], "too early"),
    ] {
        let file = folder.file("junk.npy.gz", &[&both[..], junk].concat());
        run(["sum", &file]).fails(1, &["junk.npy.gz: its gzip stream", told, "copy the file again"]);
    }
}

#[test]
fn members_of_npz_files() {
    let folder = Folder::new();
    let (a, b) = (npy_i32(&[1, 2, 3]), npy("'<f4'", false, "(2, 2)", &raw_f32(&[1.0, 2.0, 4.0, 8.0])));
    let f = npy("'<i4'", true, "(2, 3)", &raw_i32(&[1, 9, 9, 0, 0, 1]));
    for deflated in [false, true] {
        let one = folder.file("one.npz", &npz(&[("a", a.clone())], deflated));
        assert_eq!(run(["sum", "-q", &one]).text(), "6");
        let all = folder.file("all.npz", &npz(&[("a", a.clone()), ("b", b.clone()), ("f", f.clone())], deflated));
        run(["sum", &all]).fails(2, &["all.npz: holds members a, b, f; pass --column"]);
        run(["sum", "--column", "c", &all]).fails(1, &["no \"c\" among its members, but members a, b, f"]);
        assert_eq!(run(["sum", "-q", "--column", "a", &all]).text(), "6");
        assert_eq!(run(["sum", "-q", "--axis", "1", "--column", "b", &all]).text(), "3\n12");
        assert_eq!(run(["sum", "-q", "--axis", "0", "--column", "f", &all]).text(), "10\n9\n1");
        assert_eq!(run(["sum,max", "-q", "--column", "a", &one, &all]).text(), "12\n3");
        run(["argmax", "--column", "f", &all]).fails(1, &["all.npz: is in Fortran order"]);
        run(["sum", "--dtype", "f32", "--column", "a", &all]).fails(1, &["a .npz file of i32", "--dtype says f32"]);
    }
    // A file that the program writes.
    let out = text(folder.path().join("out.npz"));
    let x = folder.f32("x.npy", &[1.0, 2.0, 3.0, 5.0]);
    assert_eq!(run(["sum,max", "-q", "--rows", "2", "--output", &out, &x]).status, 0);
    assert_eq!(run(["sum", "-q", "--column", "max", &out]).text(), "7");
}

#[test]
fn damaged_npz_files_are_errors() {
    let folder = Folder::new();
    let numbers = noise(50_000);
    for deflated in [false, true] {
        let bytes = npz(&[("a", npy_i32(&numbers))], deflated);
        let mut wrong = bytes.clone();
        // Numbers of the member, before the directory.
        let at = wrong.len() / 2;
        wrong[at..at + 4].iter_mut().for_each(|byte| *byte = !*byte);
        run(["sum", &folder.file("crc.npz", &wrong)]).fails(1, &["crc.npz: a member of it is damaged: "]);
        run(["sum", &folder.file("cut.npz", &bytes[..bytes.len() / 2])])
            .fails(1, &["cut.npz: is damaged as a zip file"]);
    }
    // Of another packing: its number stands in the member's header and in the directory.
    for (number, packing) in [(12, "bzip2"), (14, "LZMA"), (93, "zstd"), (95, "xz")] {
        let mut other = npz(&[("a", npy_i32(&[1, 2]))], false);
        let directory = other.windows(4).position(|four| four == b"PK\x01\x02").expect("a directory");
        (other[8], other[directory + 10]) = (number, number);
        run(["sum", &folder.file("other.npz", &other)])
            .fails(1, &[&format!("member a is packed by {packing}; save it with numpy.savez")]);
    }
    let short = npy("'<i4'", false, "(9,)", &raw_i32(&[1, 2]));
    run(["sum", &folder.file("short.npz", &npz(&[("a", short)], true))]).fails(1, &["short.npz: member a: truncated"]);
    run(["sum", &folder.file("none.npz", &npz(&[], true))]).fails(1, &["none.npz: "]);
}

const TABLE: &str = "station,temp,\"wind, gusts\",note\nEWR,39.02,,\"a \"\"quoted\"\" one\"\nJFK, 39.5 ,12.5,\"two\nlines\"\n\
                     LGA,-4e1,7,\nEWR,,1,x\n";

#[test]
fn columns_of_tables() {
    let folder = Folder::new();
    let tabs = "station\ttemp\nEWR\t39.02\nJFK\t39.5\nLGA\t-40\nEWR\t\n";
    let windows = TABLE.replace('\n', "\r\n");
    let marked = format!("\u{feff}{TABLE}");
    let files = [
        folder.file("t.csv", TABLE.as_bytes()),
        folder.file("w.csv", windows.as_bytes()),
        folder.file("t.tsv", tabs.as_bytes()),
        folder.file("t.csv.gz", &gzip(TABLE.as_bytes())),
        folder.file("t.csv.zst", &zstd(TABLE.as_bytes())),
        folder.file("m.csv", marked.as_bytes()),
    ];
    for file in &files {
        for column in ["temp", "2"] {
            let done = run(["sum", "--json", "--column", column, file]);
            let sum = 39.02 + 39.5 - 40.0;
            let [value, count, missing, dtype] = told(&done, ["value", "count", "missing", "dtype"]);
            assert!((value.as_f64().unwrap() - sum).abs() < 1e-12, "{file}: {value}");
            assert_eq!((count, missing, dtype), (json!(3), json!(1), json!("f64")), "{file}");
        }
    }
    let [first, ..] = &files;
    assert_eq!(run(["sum", "-q", "--column", "wind, gusts", first]).text(), "20.5");
    assert_eq!(run_with(["sum", "-q", "--column", "wind, gusts"], TABLE.as_bytes()).text(), "20.5");
    assert_eq!(run(["max", "-q", "--dtype", "f32", "--column", "3", first]).text(), "12.5");
    let plain = run(["sum", "--column", "temp", first]);
    assert!(plain.text().contains("1 missing value was left out"), "{plain:?}");
    let whole = run(["sum", "--column", "3", &folder.file("n.csv", b"1,2,3\n4,5,6\n")]);
    assert!(!whole.text().contains("missing"), "{whole:?}");
    // One column needs no name, and lines with nothing on them are no rows.
    assert_eq!(run(["sum", "--json", &folder.file("one.csv", b"x\n1\n\n2\n\n")]).json()["count"], 2);
    assert_eq!(run(["sum", "--json", &folder.file("one.csv", b"1\n2")]).json()["value"], 3.0);
    assert_eq!(
        run(["sum", "-q", "--dtype", "i64", "--column", "1", &folder.file("i.csv", b"a,\n9007199254740993,\n")]).text(),
        "9007199254740993"
    );
    // A row of titles of which one is empty, as pandas writes an index.
    assert_eq!(run(["sum", "--json", "--column", "1", &folder.file("p.csv", b",a\n0,5\n1,6\n")]).json()["count"], 2);
    assert_eq!(run(["sum", "--json", "--column", "1", &folder.file("p.csv", b",5\n1,6\n")]).json()["missing"], 1);
    // Numbers as titles: a number is the column's, where there are so many.
    let years = folder.file("y.csv", b"2012,2013\n1,2\n");
    assert_eq!(run(["sum", "-q", "--column", "2013", &years]).text(), "2");
    assert_eq!(run(["sum", "-q", "--column", "2", &years]).text(), "2015");
}

#[test]
fn tables_that_are_wrong() {
    let folder = Folder::new();
    let file = folder.file("t.csv", TABLE.as_bytes());
    let titles = "station, temp, wind, gusts, note";
    run(["sum", &file]).fails(2, &["t.csv: holds columns ", titles, "--column"]);
    run(["sum", "--column", "tmp", &file]).fails(1, &["t.csv: has no column \"tmp\", but columns ", titles]);
    run(["sum", "--column", "5", &file]).fails(1, &["no column \"5\""]);
    run(["sum", "--column", "0", &file]).fails(1, &["no column \"0\""]);
    // Lines of the file: the header, fields of several lines, and empty ones count.
    run(["sum", "--column", "note", &file])
        .fails(1, &["t.csv: line 2, column \"note\": \"a \\\"quoted\\\" one\" is no number"]);
    for end in ["\n", "\r\n"] {
        let text = ["a,b", "1,\"2", "\"", "", "3,x", ""].join(end);
        run(["sum", "--column", "b", &folder.file("l.csv", text.as_bytes())])
            .fails(1, &["l.csv: line 5, column \"b\": \"x\" is no number of type f64"]);
    }
    run(["sum", "--dtype", "i32", "--column", "1", &folder.file("i.csv", b"a\n1\n1.5\n")])
        .fails(1, &["line 3", "\"1.5\" is no number of type i32"]);
    run(["sum", "--column", "1", &folder.file("r.csv", b"a,b\n1,2\n3\n")])
        .fails(1, &["r.csv: line 3: a row of 1 fields, where the first row has 2"]);
    run(["sum", "--column", "a", &folder.file("d.csv", b"a,a\n1,2\n")])
        .fails(2, &["columns 1 and 2 are both named \"a\""]);
    run(["sum", "--column", "a", &folder.file("e.csv", b"")]).fails(1, &["e.csv"]);
    run(["sum", &folder.file("b.csv", b"a\n\xff\xfe\n")]).fails(1, &["line 2", "is no number"]);
    run(["sum", "--column", "a", &folder.i32("x.npy", &[1])]).fails(2, &["x.npy: has no columns"]);
    // A quotation mark that nothing closes, and what is wrong before it.
    let open = |text: &str| run(["sum", "-q", "--column", "a", &folder.file("q.csv", text.as_bytes())]);
    for text in ["a,b\n1,\"x\n3,4\n5,6\n", "a,b\n1,\"x", "a,b\n\"1,2\n"] {
        open(text).fails(1, &["q.csv: line 2: a quotation mark that nothing closes"]);
    }
    open("a,b\n\"1\n\",2\n3,\"\n\n").fails(1, &["q.csv: line 4: a quotation mark that nothing closes"]);
    open("a,b\n1,2\nx,2\n3,\"4\n").fails(1, &["q.csv: line 3, column \"a\""]);
    assert_eq!(open("a,b\n1,\"x\"\n3,4\"\n").out, "4\n");
    let huge = [b"a\n\"".to_vec(), vec![b'1'; 40 << 20]].concat();
    run(["sum", "--memory", "1MiB", &folder.file("h.csv", &huge)])
        .fails(1, &["h.csv: line 2: a row of more than 16777216 bytes"]);
    run(["sum", "--column", "a", &folder.file("c.csv.gz", &gzip(&huge)[..2000])]).fails(1, &["c.csv.gz: "]);
}

/// What goes together by the places of values has them all, or says what to do.
#[test]
fn masks_keep_to_the_places_of_missing_values() {
    let folder = Folder::new();
    let table = folder.file("v.csv", b"v\n10\n20\n\"\"\n40\n");
    let (all, present) = (folder.i32("all.npy", &[1, 1, 0, 1]), folder.i32("present.npy", &[1, 0, 1]));
    let condition = format!("{all} > 0");
    for told in [["--mask", &all], ["--where", &condition], ["--mask", &present]] {
        let by = [&["sum", "-q", "--column", "v"][..], &told].concat();
        run([&by[..], &[&table]].concat()).fails(1, &["is missing", "goes by the places of values", "--missing nan"]);
    }
    assert_eq!(run(["sum", "-q", "--column", "v", "--mask", &all, "--missing", "nan", &table]).out, "70\n");
    let numbers = folder.i32("x.npy", &[1, 2, 3, 4]);
    run(["sum", "--mask", &table, &numbers]).fails(2, &["says how many numbers it has", ".npy"]);
}

/// A mark of the byte order is no letter of the first title, however columns are asked for.
#[test]
fn a_mark_of_the_byte_order() {
    let folder = Folder::new();
    let file = folder.file("m.csv", "\u{feff}x,y\n1,2\n".as_bytes());
    assert_eq!(run(["sum", "-q", "--column", "x", &file]).text(), "1");
    assert_eq!(run(["sum", "-q", "--columns", "*", &file]).text(), "1\n2");
}

/// Rows that several threads go through, and one: the same answers, places and lines.
#[test]
fn tables_of_many_blocks() {
    let folder = Folder::new();
    // Fields of several lines, lines with nothing on them, rows that end as on Windows, marks within fields.
    let row = |at: usize| match at % 97 {
        0 => format!("\"a \"\"note\"\",\nof two lines\",{at},{}\r\n\n", at % 7),
        1 => format!("5\" pipe,,{}\n", at % 7),
        2 => format!("\"\",\"{at}\",{}\n", at % 7),
        _ => format!("plain text of a row,{at},{}\n", at % 7),
    };
    let rows: Vec<String> = (0..200_000).map(row).collect();
    let text = format!("\u{feff}\"note\",x,y\n{}", rows.concat());
    assert!(text.len() > 4 << 20, "{} bytes are few blocks", text.len());
    let file = folder.file("t.csv", text.as_bytes());
    let holes = (0..200_000u64).filter(|at| at % 97 == 1);
    let sum = (0..200_000u64).sum::<u64>() - holes.clone().sum::<u64>();
    for memory in ["1GiB", "1MiB"] {
        let with = |args: &[&str]| run(args.iter().copied().chain(["--memory", memory, "--column", "x", &file]));
        let [value, count, missing] = told(&with(&["sum", "--json"]), ["value", "count", "missing"]);
        assert_eq!((value, count, missing), (json!(sum as f64), json!(200_000 - holes.clone().count()), json!(2062)));
        assert_eq!(with(&["argmax", "-q"]).text(), "199999 199999");
        assert_eq!(with(&["argmax", "-q", "--missing", "nan"]).text(), "nan 1");
        // Behind the header and a row of three lines, one of them with nothing on it.
        let line = 2 + rows[0].matches('\n').count();
        with(&["sum", "--missing", "error"]).fails(1, &[&format!("line {line}, column \"x\": the field is missing")]);
        let both = run(["sum", "--columns", "x,y", "--json", "--memory", memory, &file]).out;
        assert!(both.contains(&format!("{}", sum as f64)) && both.contains("599994"), "{both}");
        for (bad, says) in [("plain,1x,1\n", "column \"x\": \"1x\" is no number"), ("1,2\n", "a row of 2 fields")] {
            let (before, behind) = rows.split_at(150_000);
            let text = ["note,x,y\n", &before.concat(), bad, &behind.concat()].concat();
            let line = 2 + before.concat().matches('\n').count();
            let file = folder.file("bad.csv", text.as_bytes());
            run(["sum", "--memory", memory, "--column", "x", &file]).fails(1, &[&format!("line {line}"), says]);
        }
        let open = [&text, "\"", &"1".repeat(40 << 20)].concat();
        let line = 1 + text.matches('\n').count();
        run(["sum", "--memory", memory, "--column", "x", &folder.file("open.csv", open.as_bytes())])
            .fails(1, &[&format!("line {line}: a quotation mark that nothing closes")]);
    }
}

#[test]
fn missing_values() {
    let folder = Folder::new();
    let file = folder.file("t.csv", b"a\n\"\"\n5\n\"\"\n\"\"\n1\n\"\"\n");
    let with = |args: &[&str]| run(args.iter().copied().chain(["--dtype", "f32", &file]));
    let [value, count, missing] = told(&with(&["mean", "--json"]), ["value", "count", "missing"]);
    assert_eq!((value, count, missing), (json!(3.0), json!(2), json!(4)));
    let quiet = with(&["sum", "-q"]);
    assert_eq!(quiet.text(), "6");
    assert_eq!(quiet.err, "treefold: note: 4 missing values were left out\n");
    let [value, count, missing] = told(&with(&["sum", "--json", "--missing", "nan"]), ["value", "count", "missing"]);
    assert_eq!((value, count, missing), (json!("nan"), json!(6), json!(4)));
    assert_eq!(with(&["count_nan", "-q", "--missing", "nan"]).text(), "4");
    with(&["sum", "--missing", "error"]).fails(1, &["t.csv: line 2, column \"a\": the field is missing"]);
    // Places are those among all rows, of several files too.
    assert_eq!(with(&["argmin", "-q"]).text(), "1 4");
    let second = folder.file("u.csv", b"a\n\"\"\n0\n");
    assert_eq!(run(["argmin", "-q", "--dtype", "f32", &file, &second]).text(), "0 7");
    assert_eq!(run(["stats", "--json", "--dtype", "f32", &file, &second]).json()["index"], json!({"min": 7, "max": 1}));
    // Numbers that go together go by their places.
    for args in
        [&["dot", &file][..], &["mean", "--by", &folder.i32("k.npy", &[1, 2])], &["argmin", "--partial", "x.part"]]
    {
        with(args).fails(1, &["line 2", "missing", "--missing nan"]);
    }
    let keys = folder.i32("six.npy", &[0, 0, 0, 1, 1, 1]);
    assert_eq!(with(&["count_nan", "-q", "--missing", "nan", "--by", &keys]).text(), "0 2\n1 2");
    run(["sum", "--dtype", "i32", "--missing", "nan", &file]).fails(1, &["i32 has no NaN"]);
    let weights = folder.f32("w.npy", &[1.0, 1.0]);
    with(&["histogram", "--bins", "2", "--weights", &weights]).fails(1, &["missing", "weights go by the places"]);
    // A range of its own is read first.
    let bins = with(&["histogram", "--bins", "2", "--json"]);
    assert_eq!(told(&bins, ["count", "missing"]), [json!(2), json!(4)]);
    let holes = folder.file("k.csv", b"k\n1\n\"\"\n");
    run(["sum", "--group-by", &holes, "--groups", "2", &folder.i32("x.npy", &[1])]).fails(2, &["k.csv", "f64"]);
}

#[test]
fn places_among_more_holes_than_memory_are_an_error() {
    let folder = Folder::new();
    let rows = (0..80_000).map(|at| format!("{at},\n,1\n")).collect::<String>();
    let file = folder.file("t.csv", rows.as_bytes());
    let with = |memory: &str| run(["argmax", "--dtype", "f32", "--column", "1", "--memory", memory, "-q", &file]);
    assert_eq!(with("64MiB").text(), "79999 159998");
    with("1MiB").fails(1, &["no room to remember more than 6", " such places", "--missing nan"]);
    assert_eq!(run(["max", "--dtype", "f32", "--column", "1", "--memory", "1MiB", "-q", &file]).text(), "79999");
}

#[test]
fn patterns_name_files() {
    let folder = Folder::new();
    for (name, number) in [("p-2.npy", 3), ("p-10.npy", 9), ("p-1.npy", 1)] {
        folder.i32(name, &[number]);
    }
    folder.i32("q[1].npy", &[7]);
    let named = |pattern: &str| text(folder.path().join(pattern));
    // In the order of names: p-1, p-10, p-2.
    assert_eq!(run(["argmax", "-q", &named("p-*.npy")]).text(), "9 1");
    assert_eq!(run(["sum", "-q", &named("p-?.npy"), &named("q[1].npy")]).text(), "11");
    run(["sum", &named("z*.npy")]).fails(1, &["z*.npy: no such file"]);
    let (x, y) = (folder.f32("v1.npy", &[1.0, 2.0]), folder.f32("v2.npy", &[3.0, 4.0]));
    assert!(x < y);
    assert_eq!(run(["dot", "-q", &named("v*.npy")]).text(), "11");
}

/// Writes a column chunk: a level for each row that may lack a value, and the values.
fn chunk<T: DataType>(group: &mut SerializedRowGroupWriter<'_, Vec<u8>>, values: &[T::T], levels: Option<&[i16]>) {
    let mut column = group.next_column().unwrap().expect("a column");
    column.typed::<T>().write_batch(values, levels, None).unwrap();
    column.close().unwrap();
}

/// Rows of each of two row groups.
const GROUP: i32 = 10_000;

/// Two row groups of every type, and x, which lacks the value of every third row.
fn table(compression: Compression, dictionary: bool) -> Vec<u8> {
    let schema = "message m {
        optional double x; required float f; required int32 i; required int64 l; required int64 u (INTEGER(64,false));
        required int32 n (INTEGER(8,true)); required boolean b; required fixed_len_byte_array(2) h (FLOAT16);
        required binary s (STRING); required int64 t (TIMESTAMP(NANOS,true)); optional group g { optional int32 y; }
        optional group list (LIST) { repeated group list { required int32 element; } } }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_dictionary_enabled(dictionary)
        .set_encoding(Encoding::PLAIN)
        .set_data_page_row_count_limit(1000)
        .build();
    let mut file = SerializedFileWriter::new(vec![], schema, Arc::new(properties)).unwrap();
    for number in 0..2 {
        let mut group = file.next_row_group().unwrap();
        let rows: Vec<i32> = (number * GROUP..(number + 1) * GROUP).collect();
        let there: Vec<i16> = rows.iter().map(|row| i16::from(row % 3 != 0)).collect();
        let x: Vec<f64> = rows.iter().filter(|&row| row % 3 != 0).map(|&row| f64::from(row) / 4.0).collect();
        chunk::<DoubleType>(&mut group, &x, Some(&there));
        chunk::<FloatType>(&mut group, &rows.iter().map(|&row| row as f32 / 2.0).collect::<Vec<_>>(), None);
        chunk::<Int32Type>(&mut group, &rows, None);
        chunk::<Int64Type>(&mut group, &rows.iter().map(|&row| i64::from(row) << 30).collect::<Vec<_>>(), None);
        chunk::<Int64Type>(&mut group, &rows.iter().map(|_| -1).collect::<Vec<_>>(), None);
        chunk::<Int32Type>(&mut group, &rows.iter().map(|row| -(row % 2)).collect::<Vec<_>>(), None);
        chunk::<BoolType>(&mut group, &rows.iter().map(|row| row % 5 == 0).collect::<Vec<_>>(), None);
        let halves = |row: &i32| FixedLenByteArray::from(half::f16::from_f32((row % 8) as f32).to_le_bytes().to_vec());
        chunk::<FixedLenByteArrayType>(&mut group, &rows.iter().map(halves).collect::<Vec<_>>(), None);
        let text = vec!["text".into(); rows.len()];
        chunk::<parquet::data_type::ByteArrayType>(&mut group, &text, None);
        chunk::<Int64Type>(&mut group, &vec![0; rows.len()], None);
        // Of levels 0 (no group), 1 (no value), 2.
        let levels: Vec<i16> = rows.iter().map(|row| (row % 3) as i16).collect();
        let y: Vec<i32> = rows.iter().filter(|&row| row % 3 == 2).copied().collect();
        chunk::<Int32Type>(&mut group, &y, Some(&levels));
        let mut column = group.next_column().unwrap().unwrap();
        let (levels, again) = (vec![2; rows.len()], vec![0; rows.len()]);
        column.typed::<Int32Type>().write_batch(&rows, Some(&levels), Some(&again)).unwrap();
        column.close().unwrap();
        group.close().unwrap();
    }
    file.into_inner().unwrap()
}

#[test]
fn columns_of_parquet_files() {
    let folder = Folder::new();
    let rows = || 0..i64::from(2 * GROUP);
    for (compression, dictionary) in [
        (Compression::UNCOMPRESSED, false),
        (Compression::SNAPPY, true),
        (Compression::ZSTD(Default::default()), true),
        (Compression::GZIP(Default::default()), false),
        (Compression::LZ4_RAW, true),
    ] {
        let file = folder.file("t.parquet", &table(compression, dictionary));
        let sum = |column: &str| {
            told(&run(["sum", "--json", "--column", column, &file]), ["value", "count", "missing", "dtype"])
        };
        let x = rows().filter(|row| row % 3 != 0).map(|row| row as f64 / 4.0);
        let there = x.clone().count();
        let want = [json!(x.sum::<f64>()), json!(there), json!(rows().count() - there), json!("f64")];
        assert_eq!(sum("x"), want, "{compression}");
        let all = rows().count();
        let total = rows().sum::<i64>();
        assert_eq!(sum("f"), [json!(total as f64 / 2.0), json!(all), Value::Null, json!("f32")]);
        assert_eq!(sum("i"), [json!(total), json!(all), Value::Null, json!("i32")]);
        assert_eq!(sum("l")[0], json!(total << 30));
        assert_eq!(run(["sum", "-q", "--column", "u", &file]).text(), (u128::from(u64::MAX) * all as u128).to_string());
        assert_eq!(sum("n"), [json!(-(all as i64) / 2), json!(all), Value::Null, json!("i32")]);
        assert_eq!(sum("b"), [json!(all / 5), json!(all), Value::Null, json!("bool")]);
        assert_eq!(sum("h")[0], json!(rows().map(|row| row % 8).sum::<i64>() as f64));
        let y: Vec<i64> = rows().filter(|row| row % 3 == 2).collect();
        assert_eq!(sum("g.y"), [json!(y.iter().sum::<i64>()), json!(y.len()), json!(all - y.len()), json!("i32")]);
        assert_eq!(run(["argmax", "-q", "--column", "g.y", &file]).text(), "19997 19997");
        assert_eq!(run(["max", "-q", "--column", "i", "--memory", "1MiB", &file, &file]).text(), "19999");
        assert_eq!(run(["max", "-q", "--column", "i", "--rows", "10000", &file]).text(), "9999\n19999");
    }
    let file = folder.file("t.parquet", &table(Compression::SNAPPY, true));
    run(["sum", &file])
        .fails(2, &["t.parquet: holds columns x, f, i, l, u, n, b, h, s, t, g.y, list.list.element; pass"]);
    run(["sum", "--column", "z", &file]).fails(1, &["no \"z\" among its columns, but columns x, f"]);
    run(["sum", "--column", "s", &file]).fails(1, &["column s holds String"]);
    run(["sum", "--column", "t", &file]).fails(1, &["column t holds Timestamp; treefold reads"]);
    run(["sum", "--column", "list.list.element", &file]).fails(1, &["holds lists"]);
    run(["sum", "--column", "x", "--missing", "error", &file])
        .fails(1, &["t.parquet: row 1, column x: the value is missing"]);
    let [value, count] = told(&run(["sum", "--json", "--column", "x", "--missing", "nan", &file]), ["value", "count"]);
    assert_eq!((value, count), (json!("nan"), json!(2 * GROUP)));
    run(["sum", "--column", "f", "--dtype", "f64", &file]).fails(1, &["a Parquet file of f32", "--dtype says f64"]);
    run_with(["sum", "--column", "f"], &std::fs::read(&file).unwrap())
        .fails(2, &["standard input", "write it to a file"]);
}

/// Columns that may lack values, as pyarrow writes them, tell how many rows they have: they go with others where none is missing.
#[test]
fn columns_that_may_lack_values_are_counted() {
    let folder = Folder::new();
    let schema =
        Arc::new(parse_message_type("message m { optional int32 k; optional int32 x; optional float f; }").unwrap());
    let mut file = SerializedFileWriter::new(vec![], schema, Arc::default()).unwrap();
    for values in [[0, 1], [1, 0]] {
        let mut group = file.next_row_group().unwrap();
        chunk::<Int32Type>(&mut group, &values, Some(&[1, 1]));
        chunk::<Int32Type>(&mut group, &[values[1]], Some(&[0, 1]));
        chunk::<FloatType>(&mut group, &[1.0], Some(&[1, 0]));
        group.close().unwrap();
    }
    let file = folder.file("t.parquet", &file.into_inner().unwrap());
    let numbers = folder.i32("n.npy", &[1, 2, 4, 8]);
    let of = |column: &str, told: &[&str]| run(["sum", "-q", "--column", column].iter().chain(told).chain([&&*file]));
    assert_eq!(of("k", &["--rows", "2"]).text(), "1\n1");
    assert_eq!(of("k", &["--mask", &numbers]).text(), "2");
    assert_eq!(of("k", &["--by", &numbers]).text(), "1 0\n2 1\n4 1\n8 0");
    assert_eq!(of("f", &["--rows", "2", "--missing", "nan"]).text(), "nan\nnan");
    of("x", &["--rows", "2"]).fails(1, &["row 1, column x: the value is missing", "by the places of values"]);
    of("x", &["--axis", "0"]).fails(2, &["--axis is for arrays", "pass --rows"]);
    run(["sum", "--axis", "0", &folder.file("t.csv", b"x\n1\n")])
        .fails(2, &["--axis is for arrays", "save the numbers"]);
    run(["sum", "--rows", "1", &folder.file("t.csv", b"x\n1\n")]).fails(2, &["--rows wants", "name a file of numbers"]);
}

/// Packings that no decoder is built in for; Snappy's number, 1, stands behind the column's name in the metadata.
#[test]
fn parquet_columns_of_other_packings() {
    let folder = Folder::new();
    for (number, packing) in [(3, "LZO"), (4, "Brotli")] {
        let mut bytes = table(Compression::SNAPPY, false);
        let named = |at: &usize| bytes[*at..].starts_with(&[0x18, 1, b'x', 0x15, 2]);
        let places: Vec<usize> = (0..bytes.len()).filter(named).collect();
        assert_eq!(places.len(), 2);
        places.iter().for_each(|at| bytes[at + 4] = 2 * number);
        let file = folder.file("p.parquet", &bytes);
        let told =
            format!("p.parquet: column x is packed by {packing}, which treefold does not unpack; write it with zstd");
        run(["sum", "--column", "x", &file]).fails(1, &[&told]);
        run(["sum", "--columns", "*", &file]).fails(1, &[&told]);
        assert_eq!(run(["max", "-q", "--column", "i", &file]).text(), "19999");
    }
}

/// Two columns of one name, and a name with a dot beside a group: numbers name them, as in text.
#[test]
fn parquet_columns_of_one_name() {
    let folder = Folder::new();
    let schema =
        "message m { required int32 a; required int32 b; required int32 a; required group g { required int32 a; }
                  required int32 g.a; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut file = SerializedFileWriter::new(vec![], schema, Arc::default()).unwrap();
    let mut group = file.next_row_group().unwrap();
    [1, 2, 4, 8, 16].iter().for_each(|&value| chunk::<Int32Type>(&mut group, &[value, value], None));
    group.close().unwrap();
    let file = folder.file("d.parquet", &file.into_inner().unwrap());
    assert_eq!(run(["sum", "-q", "--columns", "*", &file]).text(), "2\n4\n8\n16\n32");
    assert_eq!(run(["sum", "-q", "--columns", "5,b,3", &file]).text(), "32\n4\n8");
    run(["sum", "--column", "a", &file])
        .fails(2, &["d.parquet: columns 1 and 3 are both named \"a\"; pass the number of one"]);
    run(["sum", "--column", "g.a", &file]).fails(2, &["columns 4 and 5 are both named \"g.a\""]);
    run(["sum", "--column", "6", &file]).fails(1, &["no \"6\" among its columns"]);
    // Where all names differ they alone name columns.
    run(["sum", "--column", "2", &folder.file("t.parquet", &table(Compression::SNAPPY, true))])
        .fails(1, &["no \"2\" among its columns"]);
}

#[test]
fn damaged_parquet_files_are_errors() {
    let folder = Folder::new();
    let bytes = table(Compression::SNAPPY, false);
    run(["sum", "--column", "x", &folder.file("cut.parquet", &bytes[..bytes.len() / 2])])
        .fails(1, &["cut.parquet: is damaged, or no Parquet file"]);
    // A page of the first column, by its first bytes behind the magic.
    let mut wrong = bytes.clone();
    wrong[4..4000].fill(0xff);
    run(["sum", "--column", "x", &folder.file("bad.parquet", &wrong)])
        .fails(1, &["bad.parquet: column x, row group 0: ", "damaged"]);
    run(["sum", &folder.file("no.parquet", b"PAR1")]).fails(1, &["no.parquet: is damaged"]);
}

/// A .safetensors file of this header.
fn safetensors(header: &str, data: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), data].concat()
}

#[test]
fn tensors() {
    let folder = Folder::new();
    let header = r#"{"__metadata__":{"format":"pt"},"w":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},
        "h":{"dtype":"F16","shape":[2],"data_offsets":[24,28]},"i":{"dtype":"I64","shape":[2],"data_offsets":[28,44]},
        "b":{"dtype":"BOOL","shape":[3],"data_offsets":[44,47]},"n":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[47,48]},
        "e":{"dtype":"U8","shape":[0,7],"data_offsets":[48,48]},"f":{"dtype":"BF16","shape":[2],"data_offsets":[48,52]}}"#;
    let mut data = raw_f32(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    data.extend([0x00, 0x3c, 0x00, 0x40]);
    data.extend([1i64 << 60, 3].iter().flat_map(|x| x.to_le_bytes()));
    data.extend([1, 0, 1, 0, 0x80, 0x3f, 0x40, 0xc0]);
    let bytes = safetensors(header, &data);
    let file = folder.file("m.safetensors", &bytes);
    let sum = |column: &str| run(["sum", "-q", "--column", column, &file]).text().to_string();
    assert_eq!([sum("w"), sum("h"), sum("b"), sum("e"), sum("f")], ["21", "3", "2", "0", "-2"]);
    assert_eq!(sum("i"), ((1i64 << 60) + 3).to_string());
    assert_eq!(run(["sum", "-q", "--axis", "0", "--column", "w", &file]).text(), "5\n7\n9");
    assert_eq!(run(["argmax", "-q", "--axis", "-1", "--column", "w", &file]).text(), "3 2\n6 2");
    // By what it begins with.
    run_with(["sum", "--column", "w"], &bytes).fails(2, &["standard input: is a file", "name the file"]);
    assert_eq!(run(["sum", "-q", "--column", "w", &folder.file("unnamed", &bytes)]).text(), "21");
    run(["sum", &file]).fails(2, &["m.safetensors: holds tensors w, h, i, b, n, e, f; pass"]);
    run(["sum", "--column", "n", &file]).fails(1, &["tensor n holds F8_E4M3", "save it as"]);
    for cut in [0, 5, 8, 30, bytes.len() - 1] {
        let done = run(["sum", "--column", "w", &folder.file("cut.safetensors", &bytes[..cut])]);
        done.fails(1, &["cut.safetensors: "]);
    }
    for (claimed, data) in [(1u64 << 60, &b"{}"[..]), (u64::MAX, b""), (3, b"{}")] {
        let bytes = [&claimed.to_le_bytes(), data].concat();
        run(["sum", &folder.file("big.safetensors", &bytes)])
            .fails(1, &["big.safetensors: its header claims", "damaged"]);
    }
    for header in [
        r#"{"w":{"dtype":"F32","shape":[4611686018427387904,8],"data_offsets":[0,24]}}"#,
        r#"{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,24]}}"#,
        r#"{"w":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}"#,
        r#"{"w":{"dtype":"F32","shape":[2],"data_offsets":[16,24]}}"#,
        r#"{"w":1}"#,
        "[]",
    ] {
        run(["sum", &folder.file("bad.safetensors", &safetensors(header, &data))]).fails(1, &["header is damaged"]);
    }
}

/// Bytes of a file that are changed here and there leave an answer or an error of one line, never a panic.
#[test]
fn damaged_files_of_every_format_are_told() {
    let folder = Folder::new();
    let table_rows = (0..2000).map(|at| format!("{at},{}\n", at * 7)).collect::<String>();
    let npy = npy_i32(&noise(3000));
    let header = r#"{"x":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}}"#;
    let files = [
        ("x.npy.gz", gzip(&npy), None),
        ("x.npy.zst", zstd(&npy), None),
        ("x.npz", npz(&[("x", npy)], true), Some("x")),
        ("x.csv", table_rows.into_bytes(), Some("2")),
        ("x.parquet", table(Compression::SNAPPY, true), Some("x")),
        ("x.safetensors", safetensors(header, &[7; 24]), Some("x")),
    ];
    let mut state = 7u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for (name, bytes, column) in files {
        for case in 0..40 {
            let mut wrong = bytes.clone();
            match case % 4 {
                0 => wrong.truncate(random(bytes.len())),
                // Damage at the begin and the end, places of headers and footers.
                1 => (0..2).for_each(|_| wrong[random(bytes.len().min(200))] = random(256) as u8),
                2 => (0..2).for_each(|_| wrong[bytes.len() - 1 - random(bytes.len().min(2000))] = random(256) as u8),
                _ => (0..4).for_each(|_| wrong[random(bytes.len())] ^= 1 << random(8)),
            }
            let file = folder.file(name, &wrong);
            let done = run(["sum", "--json", &file]
                .into_iter()
                .chain(column.into_iter().flat_map(|column| ["--column", column])));
            if done.status != 0 {
                assert!((1..=2).contains(&done.status), "{name}, case {case}: {done:?}");
                done.fails(done.status, &[name]);
            }
        }
    }
}

/// Files as numpy itself writes them.
#[test]
fn files_of_numpy() {
    let folder = Folder::new();
    let script = "import numpy as np, gzip, sys; a = np.arange(12, dtype='f8').reshape(3, 4); d = sys.argv[1]; \
                  np.savez(d + '/s.npz', a=a, b=np.asfortranarray(a)); np.savez_compressed(d + '/c.npz', a=a, b=a.T); \
                  np.savetxt(d + '/t.csv', a, delimiter=','); np.savetxt(d + '/t.tsv.gz', a, delimiter='\\t'); \
                  np.save(gzip.open(d + '/g.npy.gz', 'wb'), a)";
    let done = std::process::Command::new("/usr/bin/python3").args(["-c", script]).arg(folder.path()).output();
    if !done.as_ref().is_ok_and(|done| done.status.success()) {
        tell("skipped: no numpy for /usr/bin/python3");
        return;
    }
    let named = |name: &str| text(folder.path().join(name));
    for (name, column) in [("s.npz", "a"), ("s.npz", "b"), ("c.npz", "a"), ("c.npz", "b")] {
        assert_eq!(run(["sum", "-q", "--column", column, &named(name)]).text(), "66", "{name} {column}");
    }
    assert_eq!(run(["sum", "-q", "--axis", "0", "--column", "b", &named("s.npz")]).text(), "12\n15\n18\n21");
    assert_eq!(run(["sum", "-q", "--column", "2", &named("t.csv")]).text(), "15");
    assert_eq!(run(["sum", "-q", "--column", "2", &named("t.tsv.gz")]).text(), "15");
    assert_eq!(run(["sum", "-q", "--axis", "1", &named("g.npy.gz")]).text(), "6\n22\n38");
}
