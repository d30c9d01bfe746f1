//! The formats that are built in, each by its cargo feature.

use super::abreast::Put;
#[cfg(feature = "arrow")]
use super::arrow;
use super::choice::{Listed, Several};
#[cfg(feature = "npz")]
use super::npz;
#[cfg(feature = "parquet")]
use super::parquet;
#[cfg(feature = "safetensors")]
use super::safetensors;
use super::{Ask, Format, Reader};
#[cfg(feature = "csv")]
use super::{csv, text_type};
use crate::format::Stored;
use anyhow::{Result, bail};
use std::fs::File;

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

#[cfg(feature = "csv")]
pub fn table(name: &str, delimiter: u8, text: Reader, stored: Stored, ask: &Ask) -> Result<Reader> {
    csv::Table { delimiter, stored }.read(name, text, ask)
}

#[cfg(not(feature = "csv"))]
pub fn table(_: &str, _: u8, _: Reader, _: Stored, _: &Ask) -> Result<Reader> {
    left_out("csv")
}

#[cfg(feature = "arrow")]
fn arrow(name: &str, file: File, length: u64) -> Result<Box<dyn Several>> {
    Ok(Box::new(arrow::Columns::open(name, file, length)?))
}

#[cfg(not(feature = "arrow"))]
fn arrow(_: &str, _: File, _: u64) -> Result<Box<dyn Several>> {
    left_out("arrow")
}

#[cfg(feature = "npz")]
fn npz(name: &str, file: File) -> Result<Box<dyn Several>> {
    Ok(Box::new(npz::Npz::open(name, file)?))
}

#[cfg(not(feature = "npz"))]
fn npz(_: &str, _: File) -> Result<Box<dyn Several>> {
    left_out("npz")
}

#[cfg(feature = "parquet")]
fn parquet(name: &str, file: File) -> Result<Box<dyn Several>> {
    Ok(Box::new(parquet::Columns::open(name, file)?))
}

#[cfg(not(feature = "parquet"))]
fn parquet(_: &str, _: File) -> Result<Box<dyn Several>> {
    left_out("parquet")
}

#[cfg(feature = "safetensors")]
fn safetensors(name: &str, file: File, length: u64) -> Result<Box<dyn Several>> {
    Ok(Box::new(safetensors::open(name, file, length)?))
}

#[cfg(not(feature = "safetensors"))]
fn safetensors(_: &str, _: File, _: u64) -> Result<Box<dyn Several>> {
    left_out("safetensors")
}

/// That the program was built without a format.
#[allow(dead_code)]
pub fn left_out<N>(feature: &str) -> Result<N> {
    bail!("this treefold was built without {feature}; build it with the cargo feature of that name")
}

#[cfg(feature = "csv")]
pub fn listed(name: &str, delimiter: u8, text: Reader, ask: &Ask) -> Result<(Vec<Listed>, Reader)> {
    csv::Table { delimiter, stored: text_type(ask)? }.columns(name, text)
}

#[cfg(not(feature = "csv"))]
pub fn listed(_: &str, _: u8, _: Reader, _: &Ask) -> Result<(Vec<Listed>, Reader)> {
    left_out("csv")
}

#[cfg(feature = "csv")]
pub fn passed(name: &str, delimiter: u8, text: Reader, asks: &[Ask], put: Put) -> Result<Vec<Vec<u8>>> {
    let Some(ask) = asks.first() else { return Ok(vec![]) };
    csv::Table { delimiter, stored: text_type(ask)? }.pass(name, text, asks, put)
}

#[cfg(not(feature = "csv"))]
pub fn passed(_: &str, _: u8, _: Reader, _: &[Ask], _: Put) -> Result<Vec<Vec<u8>>> {
    left_out("csv")
}
