//! Tensors of .safetensors files: each a range of the file, little-endian, in C order.
//!
//! The crate's own reader wants the whole file in memory; here it reads the header alone.

use super::choice::{NoNumbers, Several};
use super::{Array, Ask, Numbers, Shown};
use crate::error::unreadable;
use crate::format::{Descr, Stored};
use crate::source::{fill, warn_trailing};
use ::safetensors::Dtype;
use ::safetensors::tensor::Metadata;
use anyhow::{Context, Result, anyhow, ensure};
use std::fs::File;

/// Bytes of a header's length.
const LENGTH_BYTES: u64 = 8;
/// Bytes that the format allows a header.
const HEADER_MAX: u64 = 100_000_000;
/// Bytes by which the file is known again.
const KNOWN_BYTES: usize = 64 << 10;

/// The tensors of a file.
pub struct Tensors {
    metadata: Metadata,
    names: Vec<String>,
    /// The first bytes of the file.
    header: Vec<u8>,
    /// Bytes before the first tensor.
    data_at: u64,
}

/// The tensors of a file of so many bytes.
pub fn open(name: &str, mut file: File, length: u64) -> Result<Tensors> {
    let mut header = vec![0; LENGTH_BYTES as usize];
    let got = fill(&mut file, &mut header).map_err(|error| unreadable(name, &error))?;
    ensure!(
        got == header.len(),
        "{name}: truncated: has {got} bytes, but a .safetensors file begins with {LENGTH_BYTES} of its length"
    );
    let claimed = header.iter().rev().fold(0u64, |length, &byte| length << 8 | u64::from(byte));
    let most = HEADER_MAX.min(length - LENGTH_BYTES);
    ensure!(
        claimed <= most,
        "{name}: its header claims {claimed} bytes, but {most} is the most that it may have; it is damaged, cut short or no \
         .safetensors file"
    );
    let data_at = LENGTH_BYTES + claimed;
    header.resize(data_at as usize, 0);
    let text = &mut header[LENGTH_BYTES as usize..];
    fill(&mut file, text).map_err(|error| unreadable(name, &error))?;
    let metadata: Metadata = serde_json::from_slice(text)
        .map_err(|error| anyhow!("{name}: its .safetensors header is damaged: {error}; copy or save it again"))?;
    let needs = data_at + metadata.data_len() as u64;
    ensure!(
        length >= needs,
        "{name}: truncated: has {length} bytes, but its tensors need {needs}; copy or save it again"
    );
    if length > needs {
        warn_trailing(name, &format!("{} bytes", length - needs));
    }

    let names = metadata.offset_keys();
    header.truncate(KNOWN_BYTES);
    Ok(Tensors { metadata, names, header, data_at })
}

impl Several for Tensors {
    fn what(&self) -> &'static str {
        "tensors"
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn look(&mut self, name: &str, at: usize, _: &Ask) -> Result<Shown> {
        let title = self.names.get(at).context("a tensor vanished")?;
        let tensor = self.metadata.info(title).context("a tensor vanished")?;
        let stored = stored(tensor.dtype).ok_or_else(|| NoNumbers {
            what: format!("{name}: tensor {title} holds {:?}", tensor.dtype),
            advice: "treefold reads BOOL, U8 to U64, I8 to I64, BF16, F16, F32 and F64: save it as one of those".into(),
        })?;
        let bytes = (tensor.data_offsets.1 - tensor.data_offsets.0) as u64;
        let data_at = self.data_at + tensor.data_offsets.0 as u64;
        let count = bytes / stored.size() as u64;
        let axes: Vec<u64> = tensor.shape.iter().map(|&length| length as u64).collect();
        let (header, shape) = (self.header.clone(), format!("{:?}", tensor.shape));
        let array = Array { stored, count, header, data_at, fortran: None, axes, fortran_order: false, shape };
        Ok(Shown { stored, array: Some(array), count: Some(count), numbers: Numbers::Range(data_at) })
    }
}

/// The type of a tensor's numbers, where it is one that files hold.
fn stored(dtype: Dtype) -> Option<Stored> {
    match dtype {
        Dtype::BOOL => Stored::of(&Descr::parse("|b1")?),
        // By names like "F32".
        other => Stored::raw(&format!("{other:?}").to_lowercase()),
    }
}
