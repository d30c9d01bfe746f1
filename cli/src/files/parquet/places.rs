//! A file that several threads read at once.

use crate::files::section::Section;
use crate::source::fill;
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::reader::{ChunkReader, Length};
use bytes::Bytes;
use std::fs::File;
use std::io::BufReader;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub struct Places {
    file: Arc<File>,
    length: u64,
    spare: Spare,
}

/// Memory of pages that are decoded, for the next ones: fresh memory costs more than what is read into it.
#[derive(Clone, Default)]
struct Spare(Arc<Mutex<Vec<Vec<u8>>>>);

/// Pieces of it that are kept, and bytes of each at most.
const SPARE_MAX: usize = 16;
const SPARE_BYTES: usize = 8 << 20;

impl Spare {
    fn kept(&self) -> MutexGuard<'_, Vec<Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The bytes of a page.
struct PageBytes {
    bytes: Vec<u8>,
    spare: Spare,
}

impl AsRef<[u8]> for PageBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for PageBytes {
    fn drop(&mut self) {
        let mut kept = self.spare.kept();
        if kept.len() < SPARE_MAX && self.bytes.capacity() <= SPARE_BYTES {
            kept.push(std::mem::take(&mut self.bytes));
        }
    }
}

impl Places {
    pub fn new(file: File) -> std::io::Result<Places> {
        let length = file.metadata()?.len();
        Ok(Places { file: Arc::new(file), length, spare: Spare::default() })
    }

    fn left(&self, at: u64) -> u64 {
        self.length.saturating_sub(at)
    }
}

impl Length for Places {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Places {
    type T = BufReader<Section>;

    fn get_read(&self, at: u64) -> Result<Self::T> {
        Ok(BufReader::new(Section::new(&self.file, at, self.left(at))))
    }

    fn get_bytes(&self, at: u64, count: usize) -> Result<Bytes> {
        let left = self.left(at);
        if count as u64 > left {
            return Err(ParquetError::EOF(format!("{count} bytes at byte {at}, where there are {left}")));
        }
        let mut bytes = self.spare.kept().pop().unwrap_or_default();
        // What it holds need not move along.
        if bytes.capacity() < count {
            bytes.clear();
        }
        bytes.resize(count, 0);
        let got = fill(&mut Section::new(&self.file, at, count as u64), &mut bytes)?;
        if got < count {
            return Err(ParquetError::EOF(format!("{count} bytes at byte {at}, where there are {got}")));
        }
        Ok(Bytes::from_owner(PageBytes { bytes, spare: self.spare.clone() }))
    }
}
