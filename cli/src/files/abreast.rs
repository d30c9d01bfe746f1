//! Several columns of a file: which there are, and those of a text in one pass.

use super::choice::{self, ListedColumn};
use super::features::{listed, passed, several};
use super::{Ask, Format, Reader, Recognized, no_columns, not_streamed, unpacked};
use anyhow::Result;
use std::fs::File;
use std::path::Path;

/// Function that takes the numbers of columns that are made, as many of them as it likes; whether more are wanted.
pub type Put<'a> = &'a mut dyn FnMut(&mut [Vec<u8>]) -> bool;

/// Whether a file is a table of text, packed or not.
pub fn is_text(name: &str, path: &Path, file: &mut File, ask: &Ask) -> Result<bool> {
    Ok(matches!(Recognized::of(name, path, file, ask)?.format, Format::Table(_)))
}

/// The columns, members or tensors of a file of so many bytes, by what its header says, or the first rows of a text.
pub fn columns(name: &str, path: &Path, mut file: File, length: u64, ask: &Ask) -> Result<Vec<ListedColumn>> {
    let Recognized { packing, format, .. } = Recognized::of(name, path, &mut file, ask)?;
    match (packing, format) {
        (_, Format::Table(_)) => Ok(columns_of_text(name, Some(path), Box::new(file), ask)?.0),
        (_, Format::Npy | Format::Raw) => Err(no_columns(name)),
        (Some(packing), _) => Err(packing.to_be_unpacked(name)),
        (None, format) => choice::all(&mut *several(name, format, file, length)?.1, name, ask),
    }
}

/// The columns of a text, and all of it, unpacked.
pub fn columns_of_text(
    name: &str,
    path: Option<&Path>,
    text: Reader,
    ask: &Ask,
) -> Result<(Vec<ListedColumn>, Reader)> {
    let (text, delimiter) = text_of(name, path, text, ask)?;
    listed(name, delimiter, text, ask)
}

/// Hands the numbers of several columns of a text to `put`, block by block, in one pass; those that are left at its end.
pub fn pass(name: &str, path: Option<&Path>, text: Reader, asks: &[Ask], put: Put) -> Result<Vec<Vec<u8>>> {
    let Some(first) = asks.first() else { return Ok(vec![]) };
    let (text, delimiter) = text_of(name, path, text, first)?;
    passed(name, delimiter, text, asks, put)
}

/// A text, unpacked, and the delimiter of its fields.
fn text_of(name: &str, path: Option<&Path>, text: Reader, ask: &Ask) -> Result<(Reader, u8)> {
    let (head, text, _) = unpacked(name, text)?;
    match Format::of(path, &head, ask) {
        Format::Table(delimiter) => Ok((text, delimiter)),
        Format::Npy | Format::Raw => Err(no_columns(name)),
        Format::Arrow | Format::Npz | Format::Parquet | Format::Safetensors => Err(not_streamed(name)),
    }
}
