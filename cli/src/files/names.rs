//! Names of files: patterns that name several, and what must not be named twice.

use crate::error::usage;
use crate::streams::{STDIN, shown_path};
use anyhow::{Result, anyhow, ensure};
use std::path::{Path, PathBuf};

/// The files, those that a pattern names in its place and in the order of their names; a file's own name is no pattern.
pub fn named(paths: Vec<PathBuf>) -> Result<Vec<PathBuf>> {
    let mut all = vec![];
    for path in paths {
        let pattern = path.to_str().filter(|text| text.contains(['*', '?', '[']) && !path.exists());
        // A path that is no pattern is the name of a file, whether it is there or not.
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

/// Refuses inputs that are read only once, where they are named twice: the second would wait for ever.
pub fn named_once(files: &[&PathBuf]) -> Result<()> {
    let mut pipes = vec![];
    let mut stdin = false;
    for path in files {
        let dash = path.as_os_str() == "-";
        ensure!(!(dash && stdin), usage("standard input (-) is named twice; it can be read only once"));
        stdin |= dash;
        if let Some(pipe) = pipe(path) {
            let name = if dash { STDIN.into() } else { shown_path(path) };
            ensure!(
                !pipes.contains(&pipe),
                usage(format!("{name}: is a pipe that is named twice; it can be read only once"))
            );
            pipes.push(pipe);
        }
    }
    Ok(())
}

/// Refuses what is read only once, where `--columns` asks for more.
pub fn ensure_read_again(path: &Path) -> Result<()> {
    ensure!(
        !is_read_once(path),
        usage(format!(
            "{}: is read once, and --columns reads it for each column; write it to a file first",
            shown_path(path)
        ))
    );
    Ok(())
}

/// Whether it can be read only once: standard input, or a pipe.
pub fn is_read_once(path: &Path) -> bool {
    path.as_os_str() == "-" || pipe(path).is_some()
}

/// Numbers that tell a pipe from all others; `None` for anything else.
#[cfg(unix)]
fn pipe(path: &Path) -> Option<(u64, u64)> {
    use std::os::fd::AsFd;
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let found = match path.as_os_str() == "-" {
        true => std::fs::File::from(std::io::stdin().as_fd().try_clone_to_owned().ok()?).metadata(),
        false => std::fs::metadata(path),
    };
    found.ok().filter(|found| found.file_type().is_fifo()).map(|found| (found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn pipe(_: &Path) -> Option<(u64, u64)> {
    None
}
