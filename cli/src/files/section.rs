//! Bytes of a file from a place on, for several readers of one file at once.

use crate::source::read_at;
use std::fs::File;
use std::io::Read;
use std::sync::Arc;

pub struct Section {
    file: Arc<File>,
    at: u64,
    left: u64,
}

impl Section {
    /// So many bytes.
    pub fn new(file: &Arc<File>, at: u64, bytes: u64) -> Section {
        Section { file: file.clone(), at, left: bytes }
    }
}

impl Read for Section {
    fn read(&mut self, space: &mut [u8]) -> std::io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(space.len());
        let got = read_at(&self.file, &mut space[..most], self.at)?;
        self.at += got as u64;
        self.left -= got as u64;
        Ok(got)
    }
}
