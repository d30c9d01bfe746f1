//! Several columns of a file: which there are, and those of a text in one pass.

use super::choice::{self, Listed};
use super::features::{listed, passed, several};
use super::packing::{HEAD, Packing};
use super::{Ask, Format, Reader, no_columns, not_streamed, unpacked};
use crate::error::unreadable;
use crate::source::fill;
use anyhow::Result;
use std::fs::File;
use std::io::Seek;
use std::path::Path;

/// What takes the numbers of columns that are made, as many of them as it likes; whether more are wanted.
pub type Put<'a> = &'a mut dyn FnMut(&mut [Vec<u8>]) -> bool;

/// Whether a file is a table of text, packed or not.
pub fn is_text(name: &str, path: &Path, file: &mut File, ask: &Ask) -> Result<bool> {
    Ok(matches!(format(name, path, file, ask)?, (_, Format::Table(_))))
}

/// The columns, members or tensors of a file of so many bytes, by what its header says, or the first rows of a text.
pub fn columns(name: &str, path: &Path, mut file: File, length: u64, ask: &Ask) -> Result<Vec<Listed>> {
    match format(name, path, &mut file, ask)? {
        (_, Format::Table(_)) => Ok(columns_of_text(name, Some(path), Box::new(file), ask)?.0),
        (_, Format::Npy | Format::Raw) => Err(no_columns(name)),
        (Some(packing), _) => Err(packing.to_be_unpacked(name)),
        (None, format) => choice::all(&mut *several(name, format, file, length)?.1, name, ask),
    }
}

/// The columns of a text, and all of it, unpacked.
pub fn columns_of_text(name: &str, path: Option<&Path>, text: Reader, ask: &Ask) -> Result<(Vec<Listed>, Reader)> {
    let (text, delimiter) = text_of(name, path, text, ask)?;
    listed(name, delimiter, text, ask)
}

/// Hands the numbers of several columns of a text to `put`, row by row, in one pass; those that are left at its end.
pub fn pass(name: &str, path: Option<&Path>, text: Reader, asks: &[Ask], put: Put) -> Result<Vec<Vec<u8>>> {
    let Some(first) = asks.first() else { return Ok(vec![]) };
    let (text, delimiter) = text_of(name, path, text, first)?;
    passed(name, delimiter, text, asks, put)
}

/// How a file is packed, and its format; it is read from its begin again.
fn format(name: &str, path: &Path, file: &mut File, ask: &Ask) -> Result<(Option<Packing>, Format)> {
    let mut head = [0; HEAD];
    let got = fill(file, &mut head).map_err(|error| unreadable(name, &error))?;
    file.rewind().map_err(|error| unreadable(name, &error))?;
    Ok((Packing::of(&head[..got]), Format::of(Some(path), &head[..got], ask)))
}

/// What stands in a text, unpacked, and what between its fields.
fn text_of(name: &str, path: Option<&Path>, text: Reader, ask: &Ask) -> Result<(Reader, u8)> {
    let (head, text) = unpacked(name, text)?;
    match Format::of(path, &head, ask) {
        Format::Table(delimiter) => Ok((text, delimiter)),
        Format::Npy | Format::Raw => Err(no_columns(name)),
        Format::Arrow | Format::Npz | Format::Parquet | Format::Safetensors => Err(not_streamed(name)),
    }
}
