//! Rows of a column as they are decoded.

use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::DataType;
use ::parquet::errors::{ParquetError, Result};

/// Rows that are read at a time.
pub const ROWS: usize = 8 << 10;

/// Rows of a column.
pub struct DecodedRows {
    pub count: usize,
    /// Whether each has a value, where some have none.
    pub present: Option<Vec<bool>>,
    /// The bytes of the values.
    pub bytes: Vec<u8>,
}

/// The rows of a column in a row group, whatever its type.
pub trait Batches {
    /// The next rows; none at the end.
    fn next(&mut self) -> Result<Option<DecodedRows>>;
}

struct Typed<T: DataType> {
    reader: ColumnReaderImpl<T>,
    /// The level of a row that has a value.
    level: i16,
    levels: Vec<i16>,
    values: Vec<T::T>,
    put: fn(&[T::T], &mut Vec<u8>),
}

impl<T: DataType> Batches for Typed<T> {
    fn next(&mut self) -> Result<Option<DecodedRows>> {
        self.levels.clear();
        self.values.clear();
        let (count, values, _) = self.reader.read_records(ROWS, Some(&mut self.levels), None, &mut self.values)?;
        let is_there = |&level: &i16| level == self.level;
        let lacks = self.level > 0;
        let (rows, there) = match lacks {
            true => (self.levels.len(), self.levels.iter().filter(|level| is_there(level)).count()),
            false => (count, count),
        };
        if rows != count || there != values || values != self.values.len() {
            return Err(ParquetError::General(format!("{values} values for {there} of {count} rows")));
        }
        let present = (there < count).then(|| self.levels.iter().map(is_there).collect());
        let mut bytes = vec![];
        (self.put)(&self.values, &mut bytes);
        Ok((count > 0).then_some(DecodedRows { count, present, bytes }))
    }
}

/// The rows of a column in a row group; those of `level` have a value.
pub fn batches(reader: ColumnReader, level: i16) -> Result<Box<dyn Batches>> {
    fn typed<T: DataType>(
        reader: ColumnReaderImpl<T>,
        level: i16,
        put: fn(&[T::T], &mut Vec<u8>),
    ) -> Result<Box<dyn Batches>> {
        Ok(Box::new(Typed { reader, level, levels: vec![], values: vec![], put }))
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
        _ => Err(ParquetError::General("no numbers".into())),
    }
}

fn append<N: Copy, const B: usize>(all: &[N], bytes: &mut Vec<u8>, of: impl Fn(N) -> [u8; B]) {
    bytes.reserve(B * all.len());
    all.iter().for_each(|&x| bytes.extend_from_slice(&of(x)));
}
