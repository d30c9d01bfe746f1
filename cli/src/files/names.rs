//! Patterns that name several files.

use crate::error::shown_path;
use anyhow::{Result, anyhow, ensure};
use std::path::PathBuf;

/// The files, those that a pattern names in its place and in the order of their names; a file's own name is no pattern.
pub fn named(paths: Vec<PathBuf>) -> Result<Vec<PathBuf>> {
    let mut all = vec![];
    for path in paths {
        let pattern = path.to_str().filter(|text| text.contains(['*', '?', '[']) && !path.exists());
        // What is no pattern is the name of a file, which is not there.
        let Some(found) = pattern.and_then(|pattern| glob::glob(pattern).ok()) else {
            all.push(path);
            continue;
        };
        let before = all.len();
        for found in found {
            all.push(found.map_err(|error| anyhow!("{}: {error}", shown_path(&path)))?);
        }
        ensure!(all.len() > before, "{}: no such file, and none that this names as a pattern", shown_path(&path));
    }
    Ok(all)
}
