//! Arrow IPC files, streams and Feather, as the arrow crates write them; what is wrong with them.

use crate::common::*;
use arrow_array::types::{Int16Type, Int32Type};
use arrow_array::*;
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use serde_json::{Value, json};
use std::sync::Arc;

/// Rows of each of three record batches.
const ROWS: i64 = 20_001;

/// A record batch of every type, `x` without the value of every third row, `d` and `k` by dictionaries.
fn batch(number: i64) -> RecordBatch {
    let rows = || number * ROWS..(number + 1) * ROWS;
    let there = |row: &i64| row % 3 != 0;
    let half = |row: i64| half::f16::from_f32((row % 8) as f32);
    let words = StringArray::from_iter_values(rows().map(|row| format!("row {row}")));
    let views = StringViewArray::from_iter_values(rows().map(|row| format!("a text too long for a view {row}")));
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>(rows().map(|row| Some(vec![Some(row as i32), None])));
    let y: ArrayRef = Arc::new(Int32Array::from_iter_values(rows().map(|row| row as i32)));
    let group = StructArray::from(vec![(Arc::new(Field::new("y", DataType::Int32, true)), y)]);
    // Of each batch the same, with a missing value.
    let values: ArrayRef = Arc::new(Float64Array::from(vec![Some(0.5), None, Some(2.5), Some(-8.0)]));
    let keys = Int16Array::from_iter(rows().map(|row| there(&row).then_some((row % 4) as i16)));
    let d = DictionaryArray::<Int16Type>::try_new(keys, values).unwrap();
    let k = DictionaryArray::<Int32Type>::try_new(
        Int32Array::from_iter_values(rows().map(|row| (row % 2) as i32)),
        Arc::new(UInt8Array::from(vec![200, 255])),
    )
    .unwrap();
    let keys = Int32Array::from_iter_values(rows().map(|row| (row % 2) as i32));
    let s = DictionaryArray::<Int32Type>::try_new(keys, Arc::new(StringArray::from(vec!["a", "b"]))).unwrap();
    let columns: Vec<(&str, ArrayRef, bool)> = vec![
        ("words", Arc::new(words), true),
        ("x", Arc::new(Float64Array::from_iter(rows().map(|row| there(&row).then_some(row as f64 / 4.0)))), true),
        ("views", Arc::new(views), true),
        ("f", Arc::new(Float32Array::from_iter_values(rows().map(|row| row as f32 / 2.0))), false),
        ("lists", Arc::new(lists), true),
        ("h", Arc::new(Float16Array::from_iter_values(rows().map(half))), true),
        ("group", Arc::new(group), false),
        ("i8", Arc::new(Int8Array::from_iter_values(rows().map(|row| -((row % 2) as i8)))), false),
        ("u8", Arc::new(UInt8Array::from_iter_values(rows().map(|_| 255))), true),
        ("i16", Arc::new(Int16Array::from_iter_values(rows().map(|_| -300))), true),
        ("u16", Arc::new(UInt16Array::from_iter_values(rows().map(|_| 65535))), true),
        ("i32", Arc::new(Int32Array::from_iter_values(rows().map(|row| row as i32))), true),
        ("u32", Arc::new(UInt32Array::from_iter_values(rows().map(|_| u32::MAX))), true),
        ("i64", Arc::new(Int64Array::from_iter_values(rows().map(|row| row << 30))), true),
        ("u64", Arc::new(UInt64Array::from_iter_values(rows().map(|_| u64::MAX))), true),
        ("b", Arc::new(BooleanArray::from_iter(rows().map(|row| there(&row).then_some(row % 5 == 0)))), true),
        ("null", Arc::new(NullArray::new(ROWS as usize)), true),
        ("d", Arc::new(d), true),
        ("k", Arc::new(k), false),
        ("s", Arc::new(s), true),
        ("t", Arc::new(TimestampSecondArray::from_iter_values(rows())), true),
        ("last", Arc::new(Int64Array::from_iter_values(rows())), false),
    ];
    let of =
        |(name, column, nullable): &(&str, ArrayRef, bool)| Field::new(*name, column.data_type().clone(), *nullable);
    let schema = Schema::new(columns.iter().map(of).collect::<Vec<_>>());
    RecordBatch::try_new(Arc::new(schema), columns.into_iter().map(|(_, column, _)| column).collect()).unwrap()
}

fn options(compression: Option<CompressionType>) -> IpcWriteOptions {
    IpcWriteOptions::default().try_with_compression(compression).unwrap()
}

fn file(batches: &[RecordBatch], compression: Option<CompressionType>) -> Vec<u8> {
    let mut writer = FileWriter::try_new_with_options(vec![], &batches[0].schema(), options(compression)).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
    writer.into_inner().unwrap()
}

fn stream(batches: &[RecordBatch], compression: Option<CompressionType>) -> Vec<u8> {
    let mut writer = StreamWriter::try_new_with_options(vec![], &batches[0].schema(), options(compression)).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
    writer.into_inner().unwrap()
}

fn batches() -> [RecordBatch; 3] {
    [0, 1, 2].map(batch)
}

/// A duration is how many of its unit it has.
#[test]
fn durations_are_whole_numbers() {
    let folder = Folder::new();
    let column: ArrayRef = Arc::new(DurationMillisecondArray::from(vec![Some(5), None, Some(-2)]));
    let schema = Schema::new(vec![Field::new("waited", column.data_type().clone(), true)]);
    let batch = [RecordBatch::try_new(Arc::new(schema), vec![column]).unwrap()];
    for (name, bytes) in [("f.arrow", file(&batch, None)), ("s.arrow", stream(&batch, None))] {
        let found = run(["sum", "--json", "--column", "waited", &folder.file(name, &bytes)]).json();
        assert_eq!((&found["value"], &found["dtype"], &found["missing"]), (&json!(3), &json!("i64"), &json!(1)));
    }
}

#[test]
fn columns_of_arrow_files() {
    let folder = Folder::new();
    let batches = batches();
    let all = 3 * ROWS;
    let rows = || 0..all;
    let there = || rows().filter(|row| row % 3 != 0);
    let lacking = all - there().count() as i64;
    let of_dictionary = |row: i64| [0.5, 0.0, 2.5, -8.0][(row % 4) as usize];
    let in_dictionary = there().filter(|row| row % 4 != 1);
    for compression in [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)] {
        for (name, bytes) in [("t.arrow", file(&batches, compression)), ("t.arrows", stream(&batches, compression))] {
            let file = folder.file(name, &bytes);
            let sum = |column: &str, dtype: &str, value: Value, count: i64, missing: Value| {
                let told = run(["sum", "--json", "--column", column, &file]).json();
                let found = ["dtype", "value", "count", "missing"].map(|name| told[name].clone());
                assert_eq!(found, [json!(dtype), value, json!(count), missing], "{column} of {name}, {compression:?}");
            };
            let total = rows().sum::<i64>();
            let x: f64 = there().map(|row| row as f64 / 4.0).sum();
            sum("x", "f64", json!(x), all - lacking, json!(lacking));
            sum("f", "f32", json!(f64::from((total as f64 / 2.0) as f32)), all, Value::Null);
            sum("h", "f16", json!(rows().map(|row| row % 8).sum::<i64>() as f64), all, json!(0));
            sum("i8", "i8", json!(-(all / 2)), all, Value::Null);
            sum("u8", "u8", json!(255 * all), all, json!(0));
            sum("i16", "i16", json!(-300 * all), all, json!(0));
            sum("u16", "u16", json!(65535 * all), all, json!(0));
            sum("i32", "i32", json!(total), all, json!(0));
            sum("u32", "u32", json!(i64::from(u32::MAX) * all), all, json!(0));
            sum("i64", "i64", json!(total << 30), all, json!(0));
            sum("b", "bool", json!(there().filter(|row| row % 5 == 0).count()), all - lacking, json!(lacking));
            let d: f64 = in_dictionary.clone().map(of_dictionary).sum();
            let count = in_dictionary.clone().count() as i64;
            sum("d", "f64", json!(d), count, json!(all - count));
            sum("k", "u8", json!(rows().map(|row| 200 + 55 * (row % 2)).sum::<i64>()), all, Value::Null);
            sum("last", "i64", json!(total), all, Value::Null);
            let u64s = (u128::from(u64::MAX) * all as u128).to_string();
            assert_eq!(run(["sum", "-q", "--column", "u64", &file]).text(), u64s);
            // Places count what is missing.
            assert_eq!(run(["argmin", "-q", "--column", "x", &file]).text(), "0.25 1");
            assert_eq!(
                run(["argmax", "-q", "--column", "x", &file, &file]).text(),
                format!("{} {}", (all - 1) as f64 / 4.0, all - 1)
            );
            assert_eq!(run(["max", "-q", "--column", "i32", "--memory", "1MiB", &file]).text(), (all - 1).to_string());
        }
    }
}

#[test]
fn several_columns_and_what_is_none() {
    let folder = Folder::new();
    let file = folder.file("t.feather", &file(&batches(), Some(CompressionType::LZ4_FRAME)));
    let done = run(["max", "-q", "--columns", "*", &file]);
    assert_eq!(done.text().lines().count(), 15, "{done:?}");
    for (column, holds) in [
        ("words", "Utf8"),
        ("lists", "List"),
        ("group", "Struct_"),
        ("null", "Null"),
        ("s", "a dictionary of Utf8"),
        ("t", "Timestamp"),
        ("views", "Utf8View"),
    ] {
        let note = format!("column {column} holds {holds}; it is left out\n");
        assert!(done.err.contains(&note), "{note} {done:?}");
        run(["sum", "--column", column, &file]).fails(1, &["t.feather: column ", holds, "write it as one of those"]);
    }
    run(["sum", &file]).fails(2, &["t.feather: holds columns words, x, views, f, ", "pass --column"]);
    run(["sum", "--column", "z", &file]).fails(1, &["no \"z\" among its columns"]);
    run(["sum", "--column", "x", "--missing", "error", &file])
        .fails(1, &["t.feather: row 1, column x: the value is missing"]);
    assert_eq!(run(["count_nan", "-q", "--column", "x", "--missing", "nan", &file]).text(), ROWS.to_string());
    run(["sum", "--column", "f", "--dtype", "f64", &file]).fails(1, &["an Arrow file of f32", "--dtype says f64"]);
    run_with(["sum", "--column", "f"], &std::fs::read(&file).unwrap()).fails(2, &["write it to a file"]);
    // By what it begins with.
    run_with(["sum"], &stream(&batches(), None)).fails(2, &["standard input: is a file", "name the file"]);
    run_with(["sum"], &raw_i32(&[-1, -1, 5])).fails(2, &["is no .npy file", "pass --dtype"]);
    let bytes = std::fs::read(&file).unwrap();
    assert_eq!(run(["max", "-q", "--column", "u8", &folder.file("unnamed", &bytes)]).text(), "255");
}

#[test]
fn columns_of_one_name() {
    let folder = Folder::new();
    let fields = ["a", "b", "a"].map(|name| Field::new(name, DataType::Int32, false));
    let columns = [1, 2, 4].map(|value| Arc::new(Int32Array::from(vec![value, value])) as ArrayRef);
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields.to_vec())), columns.to_vec()).unwrap();
    let file = folder.file("d.arrow", &file(&[batch], None));
    assert_eq!(run(["sum", "-q", "--columns", "*", &file]).text(), "2\n4\n8");
    assert_eq!(run(["sum", "-q", "--columns", "3,b", &file]).text(), "8\n4");
    run(["sum", "--column", "a", &file]).fails(2, &["d.arrow: columns 1 and 3 are both named \"a\""]);
}

/// A column of its own kind, whose numbers are 0, 1, 2, ….
fn plain(rows: i64) -> RecordBatch {
    let schema = Schema::new(vec![
        Field::new("x", DataType::Int64, true),
        Field::new("t", DataType::Timestamp(TimeUnit::Second, None), true),
    ]);
    let columns: [ArrayRef; 2] = [
        Arc::new(Int64Array::from_iter((0..rows).map(|row| (row != 1).then_some(row)))),
        Arc::new(TimestampSecondArray::from_iter_values(0..rows)),
    ];
    RecordBatch::try_new(Arc::new(schema), columns.to_vec()).unwrap()
}

#[test]
fn dictionaries_of_streams_change() {
    let folder = Folder::new();
    let of = |values: Vec<i32>| {
        let d =
            DictionaryArray::<Int16Type>::try_new(Int16Array::from(vec![0, 1, 0]), Arc::new(Int32Array::from(values)))
                .unwrap();
        RecordBatch::try_from_iter([("d", Arc::new(d) as ArrayRef)]).unwrap()
    };
    let bytes = stream(&[of(vec![1, 10]), of(vec![100, 1000])], None);
    assert_eq!(run(["sum", "-q", &folder.file("d.arrows", &bytes)]).text(), "1212");
    // None at all, and nothing in it.
    let empty = file(&[plain(0)], None);
    let told = run(["sum", "--json", "--column", "x", &folder.file("e.arrow", &empty)]).json();
    assert_eq!([&told["value"], &told["count"], &told["missing"]], [&json!(0), &json!(0), &json!(0)]);
}

#[test]
fn damaged_arrow_files_are_errors() {
    let folder = Folder::new();
    let whole = file(&[plain(5000)], None);
    for (bytes, told) in [
        (&whole[..whole.len() / 2], "does not end as one"),
        (&b"ARROW1"[..], "ends too early"),
        (&b"ARROW1\0\0\xff\xff\xff\x7fARROW1"[..], "claims 2147483647 bytes"),
        (&b""[..], "is empty"),
        (&[0; 8][..], "no schema"),
        (&b"some text, which is no stream"[..], "more than there are"),
        (&b"\xff\xff\xff\xff\xff\xff\xff\x7f"[..], "more than there are"),
    ] {
        run(["sum", "--column", "x", &folder.file("bad.arrow", bytes)]).fails(1, &["bad.arrow: ", told]);
    }
    run(["sum", &folder.file("old.feather", b"FEA1\0\0\0\0")])
        .fails(1, &["old.feather: is Feather of version 1, which treefold does not read; write it as version 2"]);
    run(["sum", &folder.file("x.arrow.gz", &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])])
        .fails(2, &["unpack it first (gunzip "]);
    // A buffer that claims more than it has.
    let packed = file(&[plain(5000)], Some(CompressionType::ZSTD));
    let claim = (8 * 5000u64).to_le_bytes();
    let at = packed.windows(8).position(|window| window == claim).expect("a packed buffer");
    let mut wrong = packed.clone();
    wrong[at..at + 8].copy_from_slice(&(8 * 4000u64).to_le_bytes());
    run(["sum", "--column", "x", &folder.file("short.arrow", &wrong)])
        .fails(1, &["short.arrow: column x, record batch 0: its buffer of values ends too early", "damaged"]);
}

/// Bytes of a file that are changed here and there leave an answer or an error of one line, never a panic, and soon.
#[test]
fn changed_arrow_files_are_told() {
    let folder = Folder::new();
    let small = RecordBatch::try_from_iter(
        batch(0)
            .schema()
            .fields()
            .iter()
            .zip(batch(0).columns())
            .map(|(field, column)| (field.name().clone(), column.slice(0, 50))),
    )
    .unwrap();
    let told =
        |name: &str, otherwise: u64| std::env::var(name).map_or(otherwise, |text| text.parse().expect("a number"));
    let mut state = told("TREEFOLD_HOSTILE_SEED", 7);
    let mut random = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for compression in [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)] {
        for bytes in
            [file(std::slice::from_ref(&small), compression), stream(std::slice::from_ref(&small), compression)]
        {
            for case in 0..60 * told("TREEFOLD_HOSTILE", 1) {
                let mut wrong = bytes.clone();
                match case % 4 {
                    0 => wrong.truncate(random(bytes.len())),
                    1 => (0..2).for_each(|_| wrong[random(bytes.len().min(3000))] = random(256) as u8),
                    2 => {
                        (0..2).for_each(|_| wrong[bytes.len() - 1 - random(bytes.len().min(3000))] = random(256) as u8)
                    }
                    // Lengths beyond all bounds.
                    _ => {
                        let at = random(bytes.len() / 8) * 8;
                        let end = (at + 8).min(bytes.len());
                        wrong[at..end].copy_from_slice(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f][..end - at]);
                    }
                }
                let name = folder.file("x.arrow", &wrong);
                let done = run(["sum", "--json", "--column", ["x", "d", "b", "last"][random(4)], &name]);
                if done.status != 0 {
                    assert!((1..=2).contains(&done.status) && done.err.len() < 1000, "case {case}: {done:?}");
                    done.fails(done.status, &["x.arrow"]);
                }
            }
        }
    }
}

/// Columns that may lack values tell how many rows they have, and go with others where none is missing.
#[test]
fn columns_beside_elements() {
    let folder = Folder::new();
    let columns: [(&str, ArrayRef); 2] = [
        ("k", Arc::new(Int32Array::from(vec![Some(0), Some(1), Some(1), Some(0)]))),
        ("hole", Arc::new(Float32Array::from(vec![Some(1.0), None, Some(0.0), Some(1.0)]))),
    ];
    let of = |at: usize| {
        let (name, column) = &columns[at];
        let fields = vec![Field::new(*name, column.data_type().clone(), true)];
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), vec![column.clone()]).unwrap();
        folder.file(&format!("{name}.arrow"), &file(&[batch], None))
    };
    let (keys, hole) = (of(0), of(1));
    let numbers = folder.i32("n.npy", &[1, 2, 4, 8]);
    let sum = |told: &[&str]| run(["sum", "-q"].iter().chain(told));
    assert_eq!(sum(&["--group-by", &keys, "--groups", "2", &numbers]).text(), "9\n6");
    assert_eq!(sum(&["--mask", &keys, &numbers]).text(), "6");
    assert_eq!(sum(&["--where", &format!("{keys} < 1"), &numbers]).text(), "9");
    assert_eq!(sum(&["--rows", "2", &keys]).text(), "1\n1");
    let told = ["hole.arrow: row 2, column hole: the value is missing", "another input; write a number in its place"];
    sum(&["--mask", &hole, &numbers]).fails(1, &told);
    sum(&["--where", &format!("{hole} < 1"), &numbers]).fails(1, &told);
    sum(&["--mask", &keys, &folder.i32("short.npy", &[1, 2, 4])]).fails(1, &["4", "3"]);
}

/// Files as pyarrow itself writes them.
#[test]
fn files_of_pyarrow() {
    let folder = Folder::new();
    let script = "import pyarrow as pa, pyarrow.feather as f, sys; d = sys.argv[1]; \
                  t = pa.table({'a': [1, None, 3], 's': ['x', 'y', None], 'b': pa.array([0.5, 1.5, None]).dictionary_encode()}); \
                  f.write_feather(t, d + '/t.feather'); f.write_feather(t, d + '/z.feather', compression='zstd'); \
                  w = pa.ipc.new_stream(d + '/t.arrows', t.schema); w.write_table(t); w.close()";
    let done = std::process::Command::new("python3").args(["-c", script]).arg(folder.path()).output();
    if !done.as_ref().is_ok_and(|done| done.status.success()) {
        tell("skipped: no pyarrow for python3");
        return;
    }
    for name in ["t.feather", "z.feather", "t.arrows"] {
        assert_eq!(run(["sum", "-q", "--columns", "a,b", &text(folder.path().join(name))]).text(), "4\n2");
    }
}
