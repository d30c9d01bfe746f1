//! Windows of a file: how much is read at a time, and a range of the file as memory.

use crate::error::unreadable;
use anyhow::{Context, Result, ensure};
use memmap2::{Mmap, MmapOptions};
use std::fs::File;

/// How much is read at a time.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Elements of a part.
    pub part_elements: usize,
    /// Elements that are put in order at a time.
    pub tile_elements: usize,
    /// Bytes of a file that are mapped at a time.
    pub window_bytes: usize,
}

/// What takes the elements, part by part.
pub type Take<'a, T> = &'a mut dyn FnMut(&[T]) -> Result<()>;

/// How the bytes of a map will be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// From the first to the last.
    InOrder,
    /// Here and there, so that the whole is best fetched at once.
    All,
}

/// Maps a range of a file, after a look whether the file still reaches so far.
pub fn map(name: &str, file: &File, begin: u64, bytes: u64, touch: Touch) -> Result<Mmap> {
    let length = file.metadata().map_err(|error| unreadable(name, &error))?.len();
    ensure!(begin + bytes <= length, "{name}: became shorter while it was read ({length} bytes now); read it again");
    let length = usize::try_from(bytes).with_context(|| format!("{name}: window of {bytes} bytes"))?;
    let mut options = MmapOptions::new();
    options.offset(begin).len(length);
    if touch == Touch::All {
        options.populate();
    }
    // SAFETY: the map is only read, as plain numbers. Whoever cuts or rewrites the file meanwhile changes the answer
    // or ends the program, as with every reader of mapped files.
    let map = unsafe { options.map(file) }.map_err(|error| unreadable(name, &error))?;
    #[cfg(unix)]
    if touch == Touch::InOrder {
        map.advise(memmap2::Advice::Sequential).unwrap_or_else(|error| log::debug!("{name}: madvise: {error}"));
    }
    Ok(map)
}
