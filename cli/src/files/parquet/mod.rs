//! Columns of Parquet files: row groups by several threads, page by page. A null is a missing value.

mod batch;
mod cells;
mod decoded;
mod places;

use super::choice::{NoNumbers, Several};
use super::{Ask, Missing, Numbers, Reader, Shown};
use crate::error::unreadable;
use crate::format::Stored;
use ::parquet::basic::{Compression, ConvertedType, LogicalType, Type};
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::schema::types::ColumnDescriptor;
use anyhow::{Context, Result, anyhow, bail, ensure};
use cells::ParquetCells;
use decoded::Decoded;
use places::Places;
use std::fs::File;
use std::sync::Arc;

/// The columns of a file.
pub struct ParquetColumns {
    file: SerializedFileReader<Places>,
    names: Vec<String>,
}

impl ParquetColumns {
    pub fn open(name: &str, file: File) -> Result<ParquetColumns> {
        let places = Places::new(file).map_err(|error| unreadable(name, &error))?;
        let file = SerializedFileReader::new(places)
            .map_err(|error| anyhow!("{name}: is damaged, or no Parquet file: {error}; copy or write it again"))?;
        let columns = file.metadata().file_metadata().schema_descr().columns();
        let names = columns.iter().map(|column| column.path().string()).collect();
        Ok(ParquetColumns { file, names })
    }
}

impl Several for ParquetColumns {
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
        let chunks = metadata.row_groups().iter().filter_map(|group| group.columns().get(column));
        if let Some(packing) = chunks.map(|chunk| chunk.compression()).find_map(not_unpacked) {
            bail!(
                "{name}: column {title} is packed by {packing}, which treefold does not unpack; write it with zstd or Snappy"
            );
        }
        let level = described.max_def_level();
        if level > 0 {
            ask.missing.expect();
        }
        let add = |sum: u64, rows: i64| sum.checked_add(u64::try_from(rows).ok()?);
        let rows = metadata.row_groups().iter().try_fold(0, |sum, group| add(sum, group.num_rows()));
        let fits =
            |rows: &u64| rows.checked_mul(stored.size() as u64).is_some_and(|bytes| i64::try_from(bytes).is_ok());
        let rows = rows.filter(fits);
        let rows =
            rows.with_context(|| format!("{name}: is damaged: its row groups claim impossible numbers of rows"))?;
        let (title, memory) = (title.clone(), ask.memory);
        let make = move |file: File, missing: &Missing| {
            let file = SerializedFileReader::new(Places::new(file)?)?;
            let groups = file.metadata().row_groups().iter().map(|group| group.num_rows() as u64).collect();
            let decoded = Decoded::begin(file, column, level, (memory, stored.size()));
            let (title, missing) = (title.clone(), missing.clone());
            let cells = ParquetCells::new(decoded, groups, title, stored, missing);
            Ok(Box::new(cells) as Reader)
        };
        Ok(Shown { stored, array: None, count: Some(rows), numbers: Numbers::Made(Arc::new(make)) })
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
        Type::BOOLEAN => return Some(Stored::BOOL),
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

/// The name of a packing that no decoder is built in for.
fn not_unpacked(packing: Compression) -> Option<&'static str> {
    use Compression as C;
    match packing {
        C::UNCOMPRESSED | C::SNAPPY | C::GZIP(_) | C::ZSTD(_) | C::LZ4 | C::LZ4_RAW => None,
        C::BROTLI(_) => Some("Brotli"),
        C::LZO => Some("LZO"),
    }
}

/// The type of a column that holds no numbers.
fn described_as(column: &ColumnDescriptor) -> String {
    match (column.logical_type_ref(), column.converted_type()) {
        // Without its parameters.
        (Some(logical), _) => format!("{logical:?}").chars().take_while(|letter| letter.is_alphanumeric()).collect(),
        (None, ConvertedType::NONE) => column.physical_type().to_string(),
        (None, converted) => converted.to_string(),
    }
}
