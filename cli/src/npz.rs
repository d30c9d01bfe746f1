//! Several arrays in one file, as numpy.savez writes it: a zip of .npy files, uncompressed.

use anyhow::{Context, Result};
use std::io::{Cursor, Write};
use std::path::Path;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Whether a file of this name holds several arrays.
pub fn is_named(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npz"))
}

/// The bytes of a file that holds .npy files, each under its name.
pub fn file(arrays: &[(&str, Vec<u8>)]) -> Result<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(vec![]));
    for (name, npy) in arrays {
        let large = npy.len() as u64 > u64::from(u32::MAX) / 2;
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored).large_file(large);
        zip.start_file(format!("{name}.npy"), options).with_context(|| format!("the array {name}"))?;
        zip.write_all(npy).with_context(|| format!("the array {name}"))?;
    }
    Ok(zip.finish().context("the arrays")?.into_inner())
}
