//! Several arrays in one file, as numpy.savez writes it: a zip of .npy files, uncompressed.

use crate::error::usage;
use crate::streams::shown_path;
use anyhow::{Context, Result, ensure};
use std::io::{Cursor, Write};
use std::path::Path;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Whether a file of this name holds several arrays.
pub fn is_named(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npz"))
}

/// Refuses a name for `--output` that holds one array only, which does not do for this reason.
pub fn ensure_named(path: &Path, reason: &str) -> Result<()> {
    let (shown, npz) = (shown_path(path), shown_path(&path.with_extension("npz")));
    ensure!(
        is_named(path),
        usage(format!("--output {shown}: holds one array, and {reason}; name it {npz}, which holds an array for each"))
    );
    Ok(())
}

/// The bytes of a file that holds others, each under its name.
pub fn file(members: &[(String, Vec<u8>)]) -> Result<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(vec![]));
    for (name, bytes) in members {
        let large = bytes.len() as u64 > u64::from(u32::MAX) / 2;
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored).large_file(large);
        zip.start_file(name.as_str(), options).with_context(|| name.clone())?;
        zip.write_all(bytes).with_context(|| name.clone())?;
    }
    Ok(zip.finish().context("a file of several")?.into_inner())
}
