//! The formats that are built in, each by its cargo feature.

use super::abreast::Put;
use super::choice::{ListedColumn, Several};
use super::{Ask, Format, Reader};
use crate::format::Stored;
use anyhow::{Result, bail};
use std::fs::File;

/// Functions that are an error where the program was built without a feature.
macro_rules! by_feature {
    ($($feature:literal $visible:vis fn $name:ident($($argument:ident: $type:ty),+) -> Result<$out:ty> $body:block)+) => {$(
        #[cfg(feature = $feature)]
        $visible fn $name($($argument: $type),+) -> Result<$out> $body

        #[cfg(not(feature = $feature))]
        $visible fn $name($($argument: $type),+) -> Result<$out> {
            let _ = ($($argument,)+);
            left_out($feature)
        }
    )+};
}

/// The columns, members or tensors of a file that is read from several places, and what it is.
pub fn several(name: &str, format: Format, file: File, length: u64) -> Result<(&'static str, Box<dyn Several>)> {
    match format {
        Format::Arrow => Ok(("an Arrow file", arrow(name, file, length)?)),
        Format::Npz => Ok(("a .npz file", npz(name, file)?)),
        Format::Parquet => Ok(("a Parquet file", parquet(name, file)?)),
        Format::Safetensors => Ok(("a .safetensors file", safetensors(name, file, length)?)),
        Format::Npy | Format::Raw | Format::Table(_) => bail!("{name}: is read from one place"),
    }
}

by_feature! {
    "arrow" fn arrow(name: &str, file: File, length: u64) -> Result<Box<dyn Several>> {
        Ok(Box::new(super::arrow::ArrowColumns::open(name, file, length)?))
    }

    "npz" fn npz(name: &str, file: File) -> Result<Box<dyn Several>> {
        Ok(Box::new(super::npz::Npz::open(name, file)?))
    }

    "parquet" fn parquet(name: &str, file: File) -> Result<Box<dyn Several>> {
        Ok(Box::new(super::parquet::ParquetColumns::open(name, file)?))
    }

    "safetensors" fn safetensors(name: &str, file: File, length: u64) -> Result<Box<dyn Several>> {
        Ok(Box::new(super::safetensors::open(name, file, length)?))
    }

    "csv" pub fn table(name: &str, delimiter: u8, text: Reader, stored: Stored, ask: &Ask) -> Result<Reader> {
        super::csv::Table { delimiter, stored }.read(name, text, ask)
    }

    "csv" pub fn listed(name: &str, delimiter: u8, text: Reader, ask: &Ask) -> Result<(Vec<ListedColumn>, Reader)> {
        super::csv::Table { delimiter, stored: super::text_type(ask)? }.columns(name, text)
    }

    "csv" pub fn passed(name: &str, delimiter: u8, text: Reader, asks: &[Ask], put: Put<'_>) -> Result<Vec<Vec<u8>>> {
        let Some(ask) = asks.first() else { return Ok(vec![]) };
        super::csv::Table { delimiter, stored: super::text_type(ask)? }.pass(name, text, asks, put)
    }
}

/// That the program was built without a format.
#[allow(dead_code, reason = "every format may be built in")]
pub fn left_out<N>(feature: &str) -> Result<N> {
    bail!("this treefold was built without {feature}; build it with the cargo feature of that name")
}
