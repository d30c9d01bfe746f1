//! Several columns in one call: the answers of single calls, whatever the file; tables, JSON and lines; what does not go together.

use crate::common::*;
use parquet::data_type::{ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use serde_json::Value;
use std::sync::Arc;

const TABLE: &str =
    "station,temp,\"wind, gusts\",visib,\nEWR,39.02,,10,1\nJFK,39.5,12.5,0.25,2\nLGA,-4e1,7,,3\nEWR,,1,10,4\n";

fn lines(done: &Done) -> Vec<Value> {
    done.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Members that are the same however an answer is computed.
const MEMBERS: [&str; 8] = ["operator", "dtype", "count", "missing", "value", "index", "bits", "exact"];

/// Checks that the columns have the answers that each has alone.
fn check(columns: &[&str], operators: &[&str], others: &[&str], files: &[&str]) {
    let list = columns.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(",");
    let of = |option: &str, value: &str, operators: &str| {
        lines(&run([operators, "--json", option, value].iter().chain(others).chain(files)))
    };
    let all = of("--columns", &list, &operators.join(","));
    assert_eq!(all.len(), columns.len() * operators.len());
    let each = columns.iter().flat_map(|column| operators.iter().map(move |operator| (column, operator)));
    for (found, (column, operator)) in all.iter().zip(each) {
        let alone = &of("--column", column, operator)[0];
        assert_eq!(found["column"], **column);
        for member in MEMBERS {
            assert_eq!(found[member], alone[member], "{column} {operator} {member} {files:?}");
        }
    }
    let quiet = |option: &str, value: &str| {
        run([&operators.join(","), "-q", option, value]
            .into_iter()
            .chain(others.iter().copied())
            .chain(files.iter().copied()))
    };
    let each: String = columns.iter().map(|column| quiet("--column", column).out).collect();
    assert_eq!(quiet("--columns", &list).out, each);
}

#[test]
fn columns_of_text_have_the_answers_of_single_calls() {
    let folder = Folder::new();
    let table = folder.file("t.csv", TABLE.as_bytes());
    let long = (0..60_000).map(|at| {
        format!("{},{},{}\n", at, if at % 7 == 0 { String::new() } else { (at * 31 % 1009).to_string() }, -at)
    });
    let long = folder.file("long.csv", ("a,b,c\n".to_string() + &long.collect::<String>()).as_bytes());
    check(&["temp", "wind, gusts", "4"], &["mean", "argmax", "stats"], &["--dtype", "f32"], &[&table]);
    check(&["visib", "temp"], &["mean", "std", "min"], &["--missing", "nan"], &[&table, &table]);
    check(
        &["c", "a", "2"],
        &["sum", "max", "count_nan"],
        &["--memory", "1MiB", "--dtype", "f32"],
        &[&long, &long, &long],
    );
    check(&["a", "c"], &["sum", "max"], &["--dtype", "i64", "--where", "> 5"], &[&long]);
    check(&["a", "b"], &["histogram"], &["--bins", "5", "--dtype", "f32"], &[&long]);
    check(
        &["a", "b"],
        &["histogram"],
        &["--bins", "5", "--range", "0:100", "--dtype", "f32", "--missing", "nan"],
        &[&long],
    );
    // A pipe, whose header has a column's place among many files' values.
    let piped = |args: &[&str]| lines(&run_with(args, TABLE.as_bytes()));
    let files = lines(&run(["stats", "--json", "--columns", "temp,visib", &table]));
    for (piped, file) in piped(&["stats", "--json", "--columns", "temp,visib"]).iter().zip(&files) {
        MEMBERS.iter().for_each(|&member| assert_eq!(piped[member], file[member], "{member}"));
    }
    // More columns than are read at once.
    let wide: String =
        (0..3).map(|row| (0..50).map(|at| (row + at).to_string()).collect::<Vec<_>>().join(",") + "\n").collect();
    let file = folder.file("wide.csv", wide.as_bytes());
    let want: Vec<String> = (0..50).map(|at| (3 + 3 * at).to_string()).collect();
    for memory in ["1MiB", "512MiB"] {
        let all = run(["sum", "-q", "--dtype", "i32", "--columns", "*", "--memory", memory, &file]);
        assert_eq!(all.text(), want.join("\n"));
    }
    assert_eq!(run_with(["sum", "-q", "--dtype", "i32", "--columns", "*"], wide.as_bytes()).text(), want.join("\n"));
    run_with(["sum", "--columns", "*", "--memory", "1MiB"], wide.as_bytes())
        .fails(1, &["50 columns", "need 52428800 bytes", "--memory"]);
}

#[test]
fn all_columns_of_numbers() {
    let folder = Folder::new();
    let table = folder.file("t.csv", TABLE.as_bytes());
    for done in
        [run(["sum", "-q", "--columns", "*", &table]), run_with(["sum", "-q", "--columns", "*"], TABLE.as_bytes())]
    {
        assert_eq!(done.text(), "38.52\n20.5\n20.25\n10");
        assert!(
            done.err.contains("line 2, column station: \"EWR\" is no number of type f64; it is left out\n"),
            "{done:?}"
        );
        assert!(done.err.contains("column temp: 1 missing value was left out\n"), "{done:?}");
    }
    let whole = run(["sum", "--json", "--dtype", "i64", "--columns", "*", &folder.file("i.csv", b"1,1.5,2\n3,4,x\n")]);
    assert_eq!(lines(&whole).iter().map(|line| line["column"].clone()).collect::<Vec<_>>(), ["1"]);
    assert!(whole.err.contains("line 1, column 2: \"1.5\" is no number of type i64"), "{whole:?}");
    // Behind the rows that are looked at.
    let late = "a,b\n".to_string() + &"1,2\n".repeat(5000) + "1,x\n";
    run(["sum", "--columns", "*", &folder.file("late.csv", late.as_bytes())])
        .fails(1, &["late.csv: line 5002, column \"b\": \"x\" is no number"]);
    run(["sum", "--columns", "*", &folder.file("none.csv", b"")]).fails(1, &["none.csv: holds no rows"]);
    let words = run(["sum", "--columns", "*", &folder.file("words.csv", b"a\nx\n")]);
    assert!(words.status == 1 && words.err.ends_with("words.csv: has no column of numbers\n"), "{words:?}");
    run(["sum", "--columns", "*", &folder.i32("x.npy", &[1])]).fails(2, &["x.npy: has no columns", "--columns"]);
}

#[test]
fn a_row_of_the_table_is_a_column() {
    let folder = Folder::new();
    let table = folder.file("t.csv", TABLE.as_bytes());
    let done = run(["sum,argmax", "--columns", "temp,4", &table]);
    for line in [
        "│ column ┆   sum ┆ argmax ┆ index ┆ elements ┆ type ┆ missing │",
        "│ temp   ┆ 38.52 ┆   39.5 ┆     1 ┆        3 ┆  f64 ┆       1 │",
        "│ 4      ┆ 20.25 ┆     10 ┆     0 ┆        3 ┆  f64 ┆       1 │",
        "note: sum: exact, rounded once: the same bits on every adapter",
    ] {
        assert!(done.text().lines().any(|found| found == line), "{line}\n{}", done.out);
    }
    assert!(done.text().contains("2 columns of numbers, 48 B, from "), "{}", done.out);
    let best = run(["max,top(2)", "--columns", "4,5", &table]);
    for line in ["│ 4      ┆  10 ┆   10 10 ┆   0 3 │", "│ 5      ┆   4 ┆     4 3 ┆   3 2 │"] {
        let cells =
            |text: &str| text.split('┆').map(|cell| cell.trim_matches([' ', '│']).to_string()).collect::<Vec<_>>();
        let found = best.text().lines().any(|found| cells(found).starts_with(&cells(line)[..4]));
        assert!(found, "{line}\n{}", best.out);
    }
    let left = run(["sum", "--columns", "temp", "--where", "> 0", &table]);
    assert!(left.text().contains("┆ elements ┆ type ┆ missing ┆ left out │"), "{}", left.out);
    let bins = run(["histogram", "--integers", "0:12", "--columns", "4,5", "--dtype", "f32", &table]);
    assert!(bins.text().starts_with("column 4\n") && bins.text().contains("\ncolumn 5\n"), "{}", bins.out);
}

fn chunk<T: DataType>(group: &mut SerializedRowGroupWriter<'_, Vec<u8>>, values: &[T::T]) {
    let mut column = group.next_column().unwrap().expect("a column");
    column.typed::<T>().write_batch(values, None, None).unwrap();
    column.close().unwrap();
}

#[test]
fn each_column_has_its_own_type() {
    let folder = Folder::new();
    let schema = "message m { required int64 a; required double b; required binary s (STRING); required int32 c (INTEGER(16,false)); }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut file = SerializedFileWriter::new(vec![], schema, Default::default()).unwrap();
    let mut group = file.next_row_group().unwrap();
    chunk::<Int64Type>(&mut group, &[1 << 60, 1, 2]);
    chunk::<DoubleType>(&mut group, &[0.1, 0.2, 0.3]);
    chunk::<ByteArrayType>(&mut group, &["x".into(), "y".into(), "z".into()]);
    chunk::<Int32Type>(&mut group, &[7, 8, 65535]);
    group.close().unwrap();
    let parquet = folder.file("t.parquet", &file.into_inner().unwrap());
    check(&["c", "a", "b"], &["sum", "stats"], &[], &[&parquet, &parquet]);
    let all = run(["sum", "--json", "--columns", "*", &parquet]);
    let types: Vec<_> = lines(&all).iter().map(|line| [line["column"].clone(), line["dtype"].clone()]).collect();
    assert_eq!(types, [["a", "i64"], ["b", "f64"], ["c", "u32"]]);
    assert!(all.err.contains("t.parquet: column s holds String; it is left out"), "{all:?}");
    run(["xor", "--columns", "a,b", &parquet]).fails(1, &["column b: ", "holds f64", "\"xor\" takes"]);
    run(["sum", "--columns", "a,z", &parquet]).fails(1, &["column z: ", "no \"z\" among its columns"]);
    // Members and tensors.
    let npz = text(folder.path().join("m.npz"));
    assert_eq!(run(["sum,argmax", "-q", "--output", &npz, &folder.f32("x.npy", &[1.5, 2.0])]).status, 0);
    check(&["argmax", "sum"], &["max", "mean"], &[], &[&npz]);
    assert_eq!(run(["max", "-q", "--columns", "*", &npz]).text(), "3.5\n1");
    let header = r#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"n":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[4,5]}}"#;
    let tensors = [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &[0, 0, 0x80, 0x3f, 9]].concat();
    let done = run(["max", "-q", "--columns", "*", &folder.file("t.safetensors", &tensors)]);
    assert!(done.text() == "1" && done.err.contains("tensor n holds F8_E4M3; it is left out"), "{done:?}");
}

#[test]
fn what_does_not_go_with_several_columns() {
    let folder = Folder::new();
    let table = folder.file("t.csv", TABLE.as_bytes());
    let with = |args: &[&str]| run(["sum", "--columns", "temp,visib", &table].iter().chain(args));
    for option in ["--column", "--partial", "--output", "--axis", "--rows", "--segments", "--by"] {
        with(&[option, "1"]).fails(2, &["--columns", option, "--column"]);
    }
    run(["histogram", "--columns", "temp", "--weights", "w.npy", &table]).fails(2, &["leave out --weights"]);
    with(&["--group-by", "k.npy", "--groups", "2"]).fails(2, &["leave out --group-by and --groups"]);
    for wrong in ["temp", "temp,visib,temp2", "*"] {
        run(["dot", "--columns", wrong, &table, &table]).fails(2, &["dot takes two inputs as pairs", "--columns x,y"]);
    }
    with(&["--mask", "-"]).fails(2, &["is read once"]);
    run(["merge", "--columns", "a", &table]).fails(2, &["leave out --columns"]);
    for wrong in ["a,,b", "a,a", "\"a"] {
        run(["sum", "--columns", wrong, &table]).fails(2, &["--columns"]);
    }
    // An error of the text is said once, of the column that it is about.
    run(["sum", "--columns", "temp,station", &table])
        .fails(1, &["treefold: ", "t.csv: line 2, column \"station\": \"EWR\" is no number"]);
    run(["sum", "--columns", "temp,visib", "--missing", "error", &table])
        .fails(1, &["t.csv: line 4, column \"visib\": the field is missing"]);
    run(["sum", "--columns", "a,b", &folder.file("r.csv", b"a,b\n1,2\n3\n")])
        .fails(1, &["r.csv: line 3: a row of 1 fields"]);
    run(["sum", "--columns", "a,b", &text(folder.path().join("no.csv"))]).fails(1, &["no.csv: no such file"]);
    let folded = run([
        "sum",
        "--columns",
        "a,b",
        "--dtype",
        "u64",
        &folder.file("o.csv", b"a,b\n1,2\n18446744073709551615,3\n"),
    ]);
    assert_eq!(folded.text().lines().count(), 8, "{folded:?}");
}

/// Titles that are numbers, years say: one field of text over a number makes the first row a header, of every column.
#[test]
fn a_header_may_have_numbers() {
    let folder = Folder::new();
    let years = folder.file("years.csv", b"id,2013,2014\n1,5,6\n2,7,8\n");
    let sums = |columns: &str| run(["sum", "-q", "--columns", columns, &years]).text().replace('\n', " ");
    for (columns, want) in
        [("2013,2014", "12 14"), ("2,3", "12 14"), ("id,2", "3 12"), ("1,2014", "3 14"), ("*", "3 12 14")]
    {
        assert_eq!(sums(columns), want, "{columns}");
    }
    assert_eq!(run(["argmax", "-q", "--column", "3", &years]).text(), "8 1");
    let all = run(["sum", "--csv", "--columns", "*", &years]);
    assert!(all.text().contains("2013") && all.err.is_empty(), "{} {}", all.out, all.err);
    assert_eq!(run(["dot", "-q", "--columns", "1,2", &years]).text(), "19");
    let by_number = run(["sum", "-q", "--column", "2", &years]);
    assert!(by_number.err.contains("2013 is none of the numbers: \"id\" stands over a number"), "{}", by_number.err);
    run(["sum", "--column", "2015", &years]).fails(1, &["no column \"2015\"", "id, 2013, 2014"]);
    // Fields below it may be empty, and rows longer than a block.
    let empty = folder.file("empty.csv", b"x,2013\n,5\n3,6\n");
    assert_eq!(run(["sum", "-q", "--column", "2", &empty]).text(), "11");
    let titles = (0..30_000).fold("id".to_string(), |all, at| all + &format!(",{at}"));
    let row = "1".to_string() + &",0.12345".repeat(30_000);
    let long = folder.file("long.csv", [&titles, &row, &row].map(|row| format!("{row}\n")).concat().as_bytes());
    assert_eq!(run(["count,sum", "-q", "--column", "3", &long]).text(), "2\n0.2469");
    // A title that is another column's number is not the name of its own.
    let turned = folder.file("turned.csv", b"id,1\n3,5\n");
    assert_eq!(run(["sum", "-q", "--columns", "*", &turned]).text(), "3\n5");
    // Labels may stand beside numbers in every row: the first one counts, and is told.
    let labels = folder.file("labels.csv", b"a,1\nb,2\n");
    let found = run(["sum", "-q", "--column", "2", &labels]);
    assert_eq!(found.text(), "3");
    assert!(found.err.contains("the first row is taken for numbers") && found.err.contains("\"a\""), "{}", found.err);
    assert_eq!(found.err.lines().count(), 1, "{}", found.err);
}

#[test]
fn numbers_that_no_float_tells_from_whole_ones_are_refused() {
    let folder = Folder::new();
    let file = folder.i32("x.npy", &[1, 2]);
    for call in [["count_if", "--compare=== 9007199254740992.5"], ["count", "--where=== 9007199254740992.5"]] {
        run(call.iter().chain([&file.as_str()])).fails(2, &["an f64 tells from 9007199254740992"]);
    }
}

#[test]
fn halves_are_rounded_once() {
    let folder = Folder::new();
    let file = folder.file("h.csv", b"v\n1.00048828126\n");
    assert_eq!(run(["max", "-q", "--dtype", "f16", &file]).text(), "1.0009766");
    let file = folder.file("b.csv", b"v\n1.00390626\n");
    assert_eq!(run(["max", "-q", "--dtype", "bf16", &file]).text(), "1.0078125");
}
