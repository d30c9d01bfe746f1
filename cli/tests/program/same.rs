//! The example data in every format: the same answers, to the bit.

use crate::common::*;
use arrow_array::{ArrayRef, Float32Array, Float64Array, RecordBatch, UInt8Array};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use parquet::data_type::{DataType, DoubleType, FloatType, Int32Type};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;

fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../examples/data").join(name)
}

/// The numbers of an array of the example data, behind its header of 128 bytes.
fn numbers(name: &str) -> Vec<u8> {
    std::fs::read(data(&format!("nyc-weather-2013-{name}.npy"))).unwrap().split_off(128)
}

fn floats(name: &str) -> Vec<f32> {
    numbers(name).chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect()
}

fn chunk<T: DataType>(group: &mut SerializedRowGroupWriter<'_, Vec<u8>>, values: &[T::T], there: Option<&[i16]>) {
    let mut column = group.next_column().unwrap().expect("a column");
    column.typed::<T>().write_batch(values, there, None).unwrap();
    column.close().unwrap();
}

fn arrow(columns: Vec<(&str, ArrayRef)>) -> [Vec<u8>; 2] {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    // Several batches, which do not end at bytes of bits.
    let parts = (0..batch.num_rows()).step_by(9_001).map(|at| batch.slice(at, (batch.num_rows() - at).min(9_001)));
    let (mut file, mut stream) = (
        FileWriter::try_new(vec![], &batch.schema()).unwrap(),
        StreamWriter::try_new(vec![], &batch.schema()).unwrap(),
    );
    for part in parts {
        file.write(&part).unwrap();
        stream.write(&part).unwrap();
    }
    file.finish().unwrap();
    stream.finish().unwrap();
    [file.into_inner().unwrap(), stream.into_inner().unwrap()]
}

/// A .safetensors file of tensors: their names, types and bytes.
fn safetensors(tensors: &[(&str, &str, usize, Vec<u8>)]) -> Vec<u8> {
    let (mut said, mut data) = (vec![], vec![]);
    for (name, dtype, size, bytes) in tensors {
        let (begin, end, shape) = (data.len(), data.len() + bytes.len(), bytes.len() / size);
        said.push(format!(r#""{name}":{{"dtype":"{dtype}","shape":[{shape}],"data_offsets":[{begin},{end}]}}"#));
        data.extend(bytes);
    }
    let header = format!("{{{}}}", said.join(","));
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &data].concat()
}

/// The answers of each column; their places among all rows only where `places` are the same.
fn found(operators: &str, args: &[&str], places: bool) -> Vec<[Value; 5]> {
    let done = run([operators, "--json"].iter().chain(args));
    let line = |line: &str| {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let index = if places { line["index"].clone() } else { Value::Null };
        [line["operator"].clone(), line["count"].clone(), line["value"].clone(), line["bits"].clone(), index]
    };
    done.text().lines().map(line).collect()
}

#[test]
fn arrays_of_the_examples() {
    let folder = Folder::new();
    let (temperature, visibility) = (floats("temperature"), floats("visibility"));
    let (station, hour) = (numbers("station"), numbers("hour"));
    let rows = temperature.len();
    assert!(rows == 26_115 && [visibility.len(), station.len(), hour.len()] == [rows; 3]);
    let mut table = "temperature,visibility,station,hour\n".to_string();
    for row in 0..rows {
        table += &format!("{},{},{},{}\n", temperature[row], visibility[row], station[row], hour[row]);
    }
    let schema = "message m { required float temperature; required float visibility; required int32 station (INTEGER(8,false)); \
                  required int32 hour (INTEGER(8,false)); }";
    let mut file =
        SerializedFileWriter::new(vec![], Arc::new(parse_message_type(schema).unwrap()), Default::default()).unwrap();
    for at in (0..rows).step_by(5_003) {
        let part = at..(at + 5_003).min(rows);
        let wide = |bytes: &[u8]| bytes[part.clone()].iter().map(|&byte| byte.into()).collect::<Vec<i32>>();
        let mut group = file.next_row_group().unwrap();
        chunk::<FloatType>(&mut group, &temperature[part.clone()], None);
        chunk::<FloatType>(&mut group, &visibility[part.clone()], None);
        chunk::<Int32Type>(&mut group, &wide(&station), None);
        chunk::<Int32Type>(&mut group, &wide(&hour), None);
        group.close().unwrap();
    }
    let [arrow, stream] = arrow(vec![
        ("temperature", Arc::new(Float32Array::from(temperature.clone()))),
        ("visibility", Arc::new(Float32Array::from(visibility))),
        ("station", Arc::new(UInt8Array::from(station.clone()))),
        ("hour", Arc::new(UInt8Array::from(hour.clone()))),
    ]);
    let tensors = safetensors(&[
        ("temperature", "F32", 4, numbers("temperature")),
        ("visibility", "F32", 4, numbers("visibility")),
        ("station", "U8", 1, station),
        ("hour", "U8", 1, hour),
    ]);
    let files = [
        folder.file("t.csv", table.as_bytes()),
        folder.file("t.parquet", &file.into_inner().unwrap()),
        folder.file("t.arrow", &arrow),
        folder.file("t.arrows", &stream),
        folder.file("t.safetensors", &tensors),
    ];
    for (columns, dtype) in [(["temperature", "visibility"], "f32"), (["station", "hour"], "u32")] {
        for nan in ["propagate", "ignore"].into_iter().take(if dtype == "f32" { 2 } else { 1 }) {
            let operators = ["sum", "mean", "std", "argmin", "max", "hash"];
            let alone = columns.iter().flat_map(|column| {
                let npy = text(data(&format!("nyc-weather-2013-{column}.npy")));
                operators.iter().flat_map(|operator| found(operator, &["--nan", nan, &npy], true)).collect::<Vec<_>>()
            });
            let alone: Vec<_> = alone.collect();
            assert_eq!(alone.len(), 12);
            for file in &files {
                let told = if file.ends_with(".csv") { &["--dtype", dtype][..] } else { &[] };
                let list = columns.join(",");
                let args = [&["--nan", nan, "--columns", &list, file], told].concat();
                assert_eq!(found(&operators.join(","), &args, true), alone, "{file} {nan}");
            }
        }
    }
}

/// The table of the examples, which lacks values.
#[test]
fn the_table_of_the_examples() {
    let folder = Folder::new();
    let columns = ["temp", "wind_speed", "wind_gust", "pressure", "visib"];
    let csv = text(data("nyc-weather-2013.csv"));
    let rows = std::fs::read_to_string(&csv).unwrap();
    let cells = |at: usize| -> Vec<Option<f64>> {
        rows.lines().skip(1).map(|row| row.split(',').nth(2 + at).and_then(|field| field.parse().ok())).collect()
    };
    let of: Vec<_> = (0..columns.len()).map(cells).collect();
    assert!(of.iter().all(|cells| cells.len() == 1000) && of[2].iter().flatten().count() == 217);
    let schema = format!("message m {{ {} }}", columns.map(|name| format!("optional double {name};")).join(" "));
    let mut file =
        SerializedFileWriter::new(vec![], Arc::new(parse_message_type(&schema).unwrap()), Default::default()).unwrap();
    for at in (0..1000).step_by(300) {
        let part = at..(at + 300).min(1000);
        let mut group = file.next_row_group().unwrap();
        for cells in &of {
            let there: Vec<i16> = cells[part.clone()].iter().map(|cell| cell.is_some().into()).collect();
            chunk::<DoubleType>(
                &mut group,
                &cells[part.clone()].iter().flatten().copied().collect::<Vec<_>>(),
                Some(&there),
            );
        }
        group.close().unwrap();
    }
    let array = |cells: &Vec<Option<f64>>| Arc::new(Float64Array::from(cells.clone())) as ArrayRef;
    let [arrow, stream] = arrow(columns.into_iter().zip(of.iter().map(array)).collect());
    // A file without missing values has the numbers alone, at other places.
    let bytes = |cells: &Vec<Option<f64>>| cells.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    let tensors: Vec<_> = columns.iter().zip(&of).map(|(name, cells)| (*name, "F64", 8, bytes(cells))).collect();
    let operators = "count,sum,mean,std,argmin,max,norm2,hash";
    let all = columns.join(",");
    let want = |places: bool| found(operators, &["--columns", &all, &csv], places);
    for (name, bytes) in [("t.parquet", file.into_inner().unwrap()), ("t.arrow", arrow), ("t.arrows", stream)] {
        assert_eq!(found(operators, &["--columns", &all, &folder.file(name, &bytes)], true), want(true), "{name}");
    }
    let tensors = folder.file("t.safetensors", &safetensors(&tensors));
    assert_eq!(found(operators, &["--columns", &all, &tensors], false), want(false));
}
