//! Rows of a column as they are decoded.

use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::DataType;
use ::parquet::errors::{ParquetError, Result};
use bytemuck::{NoUninit, cast_slice};
use bytes::Bytes;

/// Rows that are read at a time.
pub const ROWS: usize = 8 << 10;

/// Rows of a column.
pub struct DecodedRows {
    pub count: usize,
    /// Whether each has a value, where some have none.
    pub present: Option<Vec<bool>>,
    /// The bytes of the values.
    pub bytes: Bytes,
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
    bytes_of: fn(Vec<T::T>) -> Bytes,
}

impl<T: DataType> Batches for Typed<T> {
    fn next(&mut self) -> Result<Option<DecodedRows>> {
        self.levels.clear();
        let mut all = Vec::with_capacity(ROWS);
        let (count, values, _) = self.reader.read_records(ROWS, Some(&mut self.levels), None, &mut all)?;
        let is_there = |&level: &i16| level == self.level;
        let lacks = self.level > 0;
        let (rows, there) = match lacks {
            true => (self.levels.len(), self.levels.iter().filter(|level| is_there(level)).count()),
            false => (count, count),
        };
        if rows != count || there != values || values != all.len() {
            return Err(ParquetError::General(format!("{values} values for {there} of {count} rows")));
        }
        let present = (there < count).then(|| self.levels.iter().map(is_there).collect());
        Ok((count > 0).then(|| DecodedRows { count, present, bytes: (self.bytes_of)(all) }))
    }
}

/// The rows of a column in a row group; those of `level` have a value.
pub fn batches(reader: ColumnReader, level: i16) -> Result<Box<dyn Batches>> {
    fn typed<T: DataType>(
        reader: ColumnReaderImpl<T>,
        level: i16,
        bytes_of: fn(Vec<T::T>) -> Bytes,
    ) -> Result<Box<dyn Batches>> {
        Ok(Box::new(Typed { reader, level, levels: vec![], bytes_of }))
    }
    match reader {
        ColumnReader::BoolColumnReader(reader) => typed(reader, level, |all| all.into_iter().map(u8::from).collect()),
        ColumnReader::Int32ColumnReader(reader) => typed(reader, level, |all| bytes_of(all, i32::to_le)),
        ColumnReader::Int64ColumnReader(reader) => typed(reader, level, |all| bytes_of(all, i64::to_le)),
        ColumnReader::FloatColumnReader(reader) => {
            typed(reader, level, |all| bytes_of(all, |x| f32::from_bits(x.to_bits().to_le())))
        }
        ColumnReader::DoubleColumnReader(reader) => {
            typed(reader, level, |all| bytes_of(all, |x| f64::from_bits(x.to_bits().to_le())))
        }
        ColumnReader::FixedLenByteArrayColumnReader(reader) => typed(reader, level, |all| {
            let mut bytes = Vec::with_capacity(all.iter().map(|x| x.len()).sum());
            all.iter().for_each(|x| bytes.extend_from_slice(x.data()));
            bytes.into()
        }),
        _ => Err(ParquetError::General("no numbers".into())),
    }
}

/// The numbers as they lie in memory, where that is the order of their bytes in a file; else `ordered` turns each.
fn bytes_of<N: NoUninit + Send>(mut all: Vec<N>, ordered: impl Fn(N) -> N) -> Bytes {
    struct Held<N>(Vec<N>);
    impl<N: NoUninit> AsRef<[u8]> for Held<N> {
        fn as_ref(&self) -> &[u8] {
            cast_slice(&self.0)
        }
    }
    if cfg!(target_endian = "big") {
        all.iter_mut().for_each(|x| *x = ordered(*x));
    }
    Bytes::from_owner(Held(all))
}
