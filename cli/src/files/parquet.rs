//! Columns of Parquet files: row group after row group, page by page. A null is a missing value.

use super::choice::{NoNumbers, Several, damaged};
use super::{Ask, Missing, Numbers, Reader, Shown, take};
use crate::format::Stored;
use ::parquet::basic::{ConvertedType, LogicalType, Type};
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::DataType;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::schema::types::ColumnDescriptor;
use anyhow::{Context, Result, anyhow, ensure};
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

/// Rows that are read at a time.
const ROWS: usize = 8 << 10;

/// The columns of a file.
pub struct Columns {
    file: SerializedFileReader<File>,
    names: Vec<String>,
}

impl Columns {
    pub fn open(name: &str, file: File) -> Result<Columns> {
        let file = SerializedFileReader::new(file)
            .map_err(|error| anyhow!("{name}: is damaged, or no Parquet file: {error}; copy or write it again"))?;
        let columns = file.metadata().file_metadata().schema_descr().columns();
        let names = columns.iter().map(|column| column.path().string()).collect();
        Ok(Columns { file, names })
    }
}

impl Several for Columns {
    fn what(&self) -> &'static str {
        "columns"
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn look(&mut self, name: &str, column: usize, ask: &Ask) -> Result<Shown> {
        let metadata = self.file.metadata();
        let columns = metadata.file_metadata().schema_descr().columns();
        let (title, described) = self.names.get(column).zip(columns.get(column)).context("a column vanished")?;
        ensure!(
            described.max_rep_level() == 0,
            NoNumbers {
                what: format!("{name}: column {title} holds lists"),
                advice: "write their numbers to a column of their own".into(),
            }
        );
        let stored = stored(described).ok_or_else(|| NoNumbers {
            what: format!("{name}: column {title} holds {}", described_as(described)),
            advice: "treefold reads truth values, integers and floats: write it as one of those".into(),
        })?;
        let level = described.max_def_level();
        let lacks = level > 0;
        if lacks {
            ask.missing.expect();
        }
        let add = |sum: u64, rows: i64| sum.checked_add(u64::try_from(rows).ok()?);
        let rows = metadata.row_groups().iter().try_fold(0, |sum, group| add(sum, group.num_rows()));
        let fits =
            |rows: &u64| rows.checked_mul(stored.size() as u64).is_some_and(|bytes| i64::try_from(bytes).is_ok());
        let rows = rows.filter(fits);
        let rows =
            rows.with_context(|| format!("{name}: is damaged: its row groups claim impossible numbers of rows"))?;
        let title = title.clone();
        let make = move |file: File, missing: &Missing| {
            let file = SerializedFileReader::new(file)?;
            let (title, missing) = (title.clone(), missing.clone());
            let (made, batch) = (vec![], None);
            let cells = Cells {
                file,
                column,
                title,
                level,
                stored,
                missing,
                group: 0,
                batch,
                rows: 0,
                before: 0,
                elements: 0,
                made,
                taken: 0,
            };
            Ok(Box::new(cells) as Reader)
        };
        Ok(Shown { stored, array: None, count: (!lacks).then_some(rows), numbers: Numbers::Made(Arc::new(make)) })
    }
}

/// The type of a column's numbers, where it holds some.
fn stored(column: &ColumnDescriptor) -> Option<Stored> {
    use ConvertedType as C;
    let signed = matches!(column.converted_type(), C::NONE | C::INT_8 | C::INT_16 | C::INT_32 | C::INT_64);
    let unsigned = matches!(column.converted_type(), C::UINT_8 | C::UINT_16 | C::UINT_32 | C::UINT_64);
    let plain = matches!(column.logical_type_ref(), None | Some(LogicalType::Integer(_)));
    let half = matches!(column.logical_type_ref(), Some(LogicalType::Float16)) && column.type_length() == 2;
    Stored::raw(match column.physical_type() {
        Type::FIXED_LEN_BYTE_ARRAY if half => "f16",
        _ if !plain || !signed && !unsigned => return None,
        Type::BOOLEAN => "u8",
        Type::INT32 => {
            if unsigned {
                "u32"
            } else {
                "i32"
            }
        }
        Type::INT64 => {
            if unsigned {
                "u64"
            } else {
                "i64"
            }
        }
        Type::FLOAT => "f32",
        Type::DOUBLE => "f64",
        _ => return None,
    })
}

/// What a column holds that is no numbers.
fn described_as(column: &ColumnDescriptor) -> String {
    match (column.logical_type_ref(), column.converted_type()) {
        (Some(logical), _) => format!("{logical:?}"),
        (None, ConvertedType::NONE) => column.physical_type().to_string(),
        (None, converted) => converted.to_string(),
    }
}

/// Numbers of a column, made as they are read.
struct Cells {
    file: SerializedFileReader<File>,
    column: usize,
    title: String,
    /// The level of a row that has a value; 0 where all have.
    level: i16,
    stored: Stored,
    missing: Missing,
    group: usize,
    /// The row group that is read.
    batch: Option<Box<dyn Batch>>,
    /// Rows of it that are read, and of those before it.
    rows: u64,
    before: u64,
    /// Numbers that were made.
    elements: u64,
    made: Vec<u8>,
    taken: usize,
}

impl Cells {
    /// Makes the next numbers; whether there are more rows.
    fn make(&mut self) -> std::io::Result<bool> {
        self.made.clear();
        self.taken = 0;
        let group = self.group;
        let Some(metadata) = self.file.metadata().row_groups().get(group) else { return Ok(false) };
        let claimed = metadata.num_rows() as u64;
        let wrong = |title: &str, what: String| damaged(title, "row group", group, &what);
        let opened = match self.batch.take() {
            Some(batch) => Ok(batch),
            None => self
                .file
                .get_row_group(group)
                .and_then(|group| batch(group.get_column_reader(self.column)?, self.level)),
        };
        let mut batch = opened.map_err(|error| wrong(&self.title, error.to_string()))?;
        let rows = batch.read().map_err(|error| wrong(&self.title, error.to_string()))? as u64;
        if rows == 0 || self.rows + rows > claimed {
            let has = self.rows + rows;
            if has != claimed {
                return Err(wrong(&self.title, format!("it has {has} rows or more, but claims {claimed}")));
            }
            (self.group, self.before, self.rows) = (group + 1, self.before + claimed, 0);
            return Ok(true);
        }
        let first = self.before + self.rows + 1;
        let (title, mut value) = (&self.title, 0);
        let place = |row: usize| format!("row {}, column {title}: the value", first + row as u64);
        self.missing.rows(
            batch.present(),
            self.stored,
            (&mut self.elements, &mut self.made),
            place,
            |rows, made| {
                batch.put(value..value + rows.len(), made);
                value += rows.len();
            },
        )?;
        self.rows += rows;
        self.batch = Some(batch);
        Ok(true)
    }
}

impl Read for Cells {
    fn read(&mut self, space: &mut [u8]) -> std::io::Result<usize> {
        while self.taken == self.made.len() && self.make()? {}
        Ok(take(&self.made, &mut self.taken, space))
    }
}

/// Some rows of a column, whatever its type.
trait Batch: Send {
    /// Goes on to the next rows; how many they are.
    fn read(&mut self) -> ::parquet::errors::Result<usize>;

    /// Whether each row has a value.
    fn present(&self) -> &[bool];

    /// Appends the bytes of some of the values.
    fn put(&self, values: Range<usize>, bytes: &mut Vec<u8>);
}

struct Typed<T: DataType> {
    reader: ColumnReaderImpl<T>,
    /// The level of a row that has a value.
    level: i16,
    levels: Vec<i16>,
    present: Vec<bool>,
    values: Vec<T::T>,
    put: fn(&[T::T], &mut Vec<u8>),
}

impl<T: DataType> Batch for Typed<T> {
    fn read(&mut self) -> ::parquet::errors::Result<usize> {
        self.levels.clear();
        self.values.clear();
        self.present.clear();
        let (rows, values, _) = self.reader.read_records(ROWS, Some(&mut self.levels), None, &mut self.values)?;
        if self.level == 0 {
            self.present.resize(rows, true);
        } else {
            self.present.extend(self.levels.iter().map(|&level| level == self.level));
        }
        let present = self.present.iter().filter(|&&present| present).count();
        if self.present.len() != rows || present != values || values != self.values.len() {
            return Err(::parquet::errors::ParquetError::General(format!(
                "{values} values for {present} of {rows} rows"
            )));
        }
        Ok(rows)
    }

    fn present(&self) -> &[bool] {
        &self.present
    }

    fn put(&self, values: Range<usize>, bytes: &mut Vec<u8>) {
        (self.put)(&self.values[values], bytes);
    }
}

/// The rows of a column in a row group; those of `level` have a value.
fn batch(reader: ColumnReader, level: i16) -> ::parquet::errors::Result<Box<dyn Batch>> {
    fn typed<T: DataType>(
        reader: ColumnReaderImpl<T>,
        level: i16,
        put: fn(&[T::T], &mut Vec<u8>),
    ) -> ::parquet::errors::Result<Box<dyn Batch>> {
        Ok(Box::new(Typed { reader, level, levels: vec![], present: vec![], values: vec![], put }))
    }
    match reader {
        ColumnReader::BoolColumnReader(reader) => {
            typed(reader, level, |all, bytes| bytes.extend(all.iter().map(|&x| u8::from(x))))
        }
        ColumnReader::Int32ColumnReader(reader) => {
            typed(reader, level, |all, bytes| append(all, bytes, i32::to_le_bytes))
        }
        ColumnReader::Int64ColumnReader(reader) => {
            typed(reader, level, |all, bytes| append(all, bytes, i64::to_le_bytes))
        }
        ColumnReader::FloatColumnReader(reader) => {
            typed(reader, level, |all, bytes| append(all, bytes, f32::to_le_bytes))
        }
        ColumnReader::DoubleColumnReader(reader) => {
            typed(reader, level, |all, bytes| append(all, bytes, f64::to_le_bytes))
        }
        ColumnReader::FixedLenByteArrayColumnReader(reader) => {
            typed(reader, level, |all, bytes| all.iter().for_each(|x| bytes.extend_from_slice(x.data())))
        }
        _ => Err(::parquet::errors::ParquetError::General("no numbers".into())),
    }
}

fn append<N: Copy, const B: usize>(all: &[N], bytes: &mut Vec<u8>, of: impl Fn(N) -> [u8; B]) {
    bytes.reserve(B * all.len());
    all.iter().for_each(|&x| bytes.extend_from_slice(&of(x)));
}
